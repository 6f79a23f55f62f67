// SPDX-License-Identifier: GPL-2.0
/*
 * Lag: what a group that leaves for a while is owed when it comes back, and
 * what it owes.
 *
 * Takes no locks.
 */
#include "sim.h"

#define MAX_LEAD	(2 * NSEC_PER_SEC)

static struct sim sim;

/* The longest a group keeps the device. */
static u64 turn(void)
{
	return sim.slice + sim.depth * 20 * NSEC_PER_MSEC;
}

/* How often a group leaves: it is away for @gap after @run of its own time. */
struct habit {
	u64 run;
	u64 gap;
};

/* Serve for @ns with @leaf leaving by the way.  Others are backlogged. */
static void run_with_gaps(struct sim_node *leaf, const struct habit *habit,
			  u64 ns)
{
	u64 until = sim.now + ns, leave = leaf->time + habit->run, back = 0;

	while (sim.now < until && sim_serve(&sim)) {
		if (!leaf->entity.queued && sim.now >= back) {
			sim_wake(&sim, leaf);
			leave = leaf->time +
				random_between(habit->run / 2,
					       habit->run * 3 / 2);
		} else if (leaf->entity.queued && leaf->time >= leave) {
			sim_sleep(&sim, leaf);
			back = sim.now + random_between(habit->gap / 2,
							habit->gap * 3 / 2);
		}
	}
}

/*
 * A group of @weight with @habit beside @others groups of weight 100.  When the
 * time is over it may be a slice behind, as any group may.
 */
static void check_gaps(unsigned int weight, unsigned int others,
		       const struct habit *habit)
{
	struct sim_node *leaf;
	u64 want;

	sim_init(&sim, random_between(1, 2), 0);
	leaf = sim_add(&sim, NULL, weight, true);
	leaf->low = 100 * NSEC_PER_USEC;
	leaf->high = 4 * NSEC_PER_MSEC;
	while (others--)
		sim_add(&sim, NULL, 100, true);
	sim_entitle(&sim);
	sim_wake_all(&sim);
	run_with_gaps(leaf, habit, 300 * NSEC_PER_SEC);
	want = leaf->share * sim.now;
	expect(leaf->time + sim.slice >= want - want / 100,
	       "weight %u away %llu of %llu ms: %.1f permille, want %.1f",
	       weight, habit->gap / NSEC_PER_MSEC, habit->run / NSEC_PER_MSEC,
	       1000.0 * leaf->time / sim.now, 1000 * leaf->share);
}

static void test_gaps(void)
{
	static const struct habit habits[] = {
		{ 500 * NSEC_PER_MSEC, 2 * NSEC_PER_MSEC },
		{ 500 * NSEC_PER_MSEC, 20 * NSEC_PER_MSEC },
		{ 2 * NSEC_PER_SEC, 60 * NSEC_PER_MSEC },
	};
	static const unsigned int weights[] = { 1, 10, 50, 100 };
	unsigned int i, j, others;

	for (i = 0; i < ARRAY_SIZE(habits); i++)
		for (j = 0; j < ARRAY_SIZE(weights); j++)
			for (others = 1; others <= 4; others++)
				check_gaps(weights[j], others, &habits[i]);
}

/*
 * The others get a turn in each gap, which nobody takes from them: so a heavy
 * group can have its share only if its gaps are not too frequent.
 */
static void test_gaps_heavy(void)
{
	static const struct habit habits[] = {
		{ 2 * NSEC_PER_SEC, 2 * NSEC_PER_MSEC },
		{ 2 * NSEC_PER_SEC, 20 * NSEC_PER_MSEC },
		{ 4 * NSEC_PER_SEC, 60 * NSEC_PER_MSEC },
	};
	static const unsigned int weights[] = { 300, 500, 900 };
	unsigned int i, j, others;

	for (i = 0; i < ARRAY_SIZE(habits); i++)
		for (j = 0; j < ARRAY_SIZE(weights); j++)
			for (others = 1; others <= 4; others++)
				check_gaps(weights[j], others, &habits[i]);
}

/* Who leaves again and again cannot save up the device for later. */
static void test_gaps_do_not_add_up(void)
{
	static const struct habit habit = {
		100 * NSEC_PER_MSEC, 20 * NSEC_PER_MSEC,
	};
	struct sim_node *heavy, *light;
	u64 before;

	sim_init(&sim, 1, 0);
	heavy = sim_add(&sim, NULL, 900, true);
	light = sim_add(&sim, NULL, 100, true);
	sim_wake_all(&sim);
	run_with_gaps(heavy, &habit, 100 * NSEC_PER_SEC);
	sim_wake(&sim, heavy);
	before = light->time;
	sim_run(&sim, 10 * NSEC_PER_SEC);
	expect_within(light->time - before,
		      NSEC_PER_SEC - 3 * turn(), NSEC_PER_SEC + 3 * turn(),
		      "time of the light group after the heavy one's gaps");
}

static void test_long_sleep(void)
{
	unsigned int seed, i;

	for (seed = 1; seed <= 100; seed++) {
		struct sim_node *sleeper;
		u64 back;

		random_seed(seed);
		sim_init(&sim, random_between(1, 2), 0);
		sleeper = sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		for (i = random_between(1, 4); i; i--)
			sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		sim_entitle(&sim);
		sim_wake_all(&sim);
		sim_run(&sim, random_below(3 * NSEC_PER_SEC));
		sim_sleep(&sim, sleeper);
		sim_run(&sim, random_magnitude(1, 1000) * NSEC_PER_SEC);
		sim_wake(&sim, sleeper);
		sim_forget_times(&sim);
		back = sim.now;
		/* The slice it is owed and the turn that is being served. */
		while (sim.now < back + 30 * NSEC_PER_SEC) {
			sim_serve(&sim);
			expect(sleeper->time <= sleeper->share *
			       (sim.now - back) + sim.lag + turn(),
			       "seed %u weight %u: %.0f ms after %.0f ms", seed,
			       sleeper->entity.weight, sleeper->time / 1e6,
			       (sim.now - back) / 1e6);
		}
	}
}

/* Who is owed a slice does not wait for more than one turn of another. */
static void test_served_soon(void)
{
	unsigned int seed, i;
	u64 back;

	for (seed = 1; seed <= 100; seed++) {
		struct sim_node *sleeper;

		random_seed(seed);
		sim_init(&sim, random_between(1, 2), 0);
		sleeper = sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		for (i = random_between(1, 16); i; i--)
			sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		sim_entitle(&sim);
		sim_wake_all(&sim);
		sim_run(&sim, 3 * NSEC_PER_SEC);
		sim_sleep(&sim, sleeper);
		sim_run(&sim, 3 * turn() / sleeper->share);
		sim_wake(&sim, sleeper);
		sim_forget_times(&sim);
		back = sim.now;
		while (!sleeper->time)
			sim_serve(&sim);
		expect(sim.now - back <= turn() + 20 * NSEC_PER_MSEC,
		       "seed %u weight %u share %.4f: waited %.0f ms", seed,
		       sleeper->entity.weight, sleeper->share,
		       (sim.now - back) / 1e6);
	}
}

/* A group that was never served is owed nothing; nor after a move. */
static void test_newcomer(void)
{
	struct cfqx_service_tree elsewhere;
	struct sim_node *old, *newcomer;
	unsigned int moved;
	u64 start;

	for (moved = 0; moved <= 1; moved++) {
		sim_init(&sim, 1, 0);
		cfqx_tree_init(&elsewhere, NULL);
		old = sim_add(&sim, NULL, 100, true);
		sim_wake(&sim, old);
		sim_run(&sim, 100 * NSEC_PER_SEC);
		newcomer = sim_add(&sim, NULL, 100, true);
		if (moved) {
			newcomer->entity.vdisktime = -sim.top.vtime;
			newcomer->entity.tree = &elsewhere;
			cfqx_entity_move(&newcomer->entity, &sim.top);
		}
		sim_wake(&sim, newcomer);
		sim_forget_times(&sim);
		start = sim.now;
		while (sim.now < start + 10 * NSEC_PER_SEC) {
			sim_serve(&sim);
			expect_within(newcomer->time - old->time,
				      -2 * (s64)turn(), 2 * turn(),
				      "what the newcomer is ahead");
		}
	}
}

/* Charge a group while it is away.  Return: how long it waits afterwards. */
static u64 wait_after_charge(unsigned int weight, u64 ns)
{
	struct sim_node *debtor;
	u64 back;

	sim_init(&sim, 1, 0);
	debtor = sim_add(&sim, NULL, weight, true);
	sim_add(&sim, NULL, 100, true);
	sim_wake_all(&sim);
	sim_run(&sim, NSEC_PER_SEC);
	sim_sleep(&sim, debtor);
	sim_run(&sim, NSEC_PER_SEC);
	cfqx_entity_charge(&debtor->entity, ns);
	sim_wake(&sim, debtor);
	sim_forget_times(&sim);
	back = sim.now;
	while (!debtor->time && sim.now < back + 1000 * NSEC_PER_SEC)
		sim_serve(&sim);
	return sim.now - back;
}

static void test_charged_while_away(void)
{
	static const unsigned int weights[] = { 1, 10, 100, 900, 10000 };
	unsigned int i;
	u64 wait;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		unsigned int weight = weights[i];

		wait = wait_after_charge(weight, 60 * NSEC_PER_SEC);
		expect_within(wait, 0, MAX_LEAD * 100 / weight + 2 * turn(),
			      "wait (ns) after a charge of a minute");
		wait = wait_after_charge(weight, NSEC_PER_SEC);
		expect_within(wait, 0, (NSEC_PER_SEC + turn()) * 100 / weight +
			      2 * turn(),
			      "wait (ns) after a charge of a second");
	}
}

/* A charge that is less than the lead is paid back in full. */
static void test_charge_is_paid(void)
{
	struct sim_node *debtor, *other;
	u64 ns = 1500 * NSEC_PER_MSEC;
	unsigned int taken;

	for (taken = 0; taken <= 1; taken++) {
		sim_init(&sim, 1, 0);
		debtor = sim_add(&sim, NULL, 200, true);
		other = sim_add(&sim, NULL, 100, true);
		sim_wake_all(&sim);
		sim_run(&sim, 10 * NSEC_PER_SEC);
		sim_sleep(&sim, debtor);
		cfqx_entity_charge(&debtor->entity, ns);
		if (taken)
			cfqx_entity_charge(&debtor->entity, -(s64)ns);
		sim_wake(&sim, debtor);
		sim_run(&sim, 50 * NSEC_PER_SEC);
		expect_within(debtor->time + (taken ? 0 : ns),
			      2 * other->time - 3 * turn(),
			      2 * other->time + 3 * turn(),
			      "time with the charge");
	}
}

static const struct unit_test tests[] = {
	TEST("a group with short gaps gets its share", test_gaps),
	TEST("a heavy group with short gaps gets its share", test_gaps_heavy),
	TEST("a group cannot save up the device by gaps",
	     test_gaps_do_not_add_up),
	TEST("a group that slept long is owed a slice", test_long_sleep),
	TEST("a group that is owed a slice is served next", test_served_soon),
	TEST("a new group starts level", test_newcomer),
	TEST("a charge made while a group is away delays it by the lead at most",
	     test_charged_while_away),
	TEST("a charge made while a group is away is paid for",
	     test_charge_is_paid),
	{ }
};

const struct unit_suite lag_suite = { "lag", tests };
