// SPDX-License-Identifier: GPL-2.0
/*
 * Shares: groups that always have requests get the device time that their
 * weights entitle them to.
 *
 * A group that is chosen keeps the device for a slice and what was under way
 * when it ended: a turn.  At each level a group is within a turn of its part of
 * what its parent had, however many siblings there are; and within what was
 * under way when the choice was made, for that was not charged yet.
 *
 * With slices of 100 ms and requests of up to 20 ms, one at a time, that is 1.2
 * slices in the topmost tree, or 4 permille of 30 s.  Deeper groups mostly are
 * off by less than the sum: with four levels 3.5 slices are not exceeded.  That
 * is 5 permille of 30 s if a turn is 42 ms.
 *
 * Takes no locks.
 */
#include "sim.h"

#define MEASURED	(30 * NSEC_PER_SEC)

static struct sim sim;

/* The longest a group keeps the device. */
static u64 turn(void)
{
	return sim.slice + sim.depth * 20 * NSEC_PER_MSEC;
}

/* How far a group may be off its part of what its parent had. */
static u64 bound(void)
{
	return turn() + (sim.depth - 1) * 20 * NSEC_PER_MSEC;
}

static double absolute(double x)
{
	return x < 0 ? -x : x;
}

/* Start with random groups, all of them with requests. */
static void setup(unsigned int seed, unsigned int depth, unsigned int levels,
		  unsigned int siblings)
{
	random_seed(seed);
	sim_init(&sim, depth, 0);
	if (levels == 1)
		while (sim.nr_nodes < siblings)
			sim_add(&sim, NULL, random_magnitude(1, 10000), true);
	else
		sim_random_tree(&sim, levels, siblings);
	sim_entitle(&sim);
	sim_wake_all(&sim);
}

/*
 * Check all groups after they shared @total ns of the device: they may be off
 * by @each ns at each level, but not by more than @most.
 */
static void check_shares(u64 total, u64 each, u64 most, unsigned int seed)
{
	struct sim_node *node, *up;

	sim_for_each(&sim, node) {
		double want = node->share * total;
		u64 limit = 0;

		for (up = node; up; up = up->parent)
			limit += each;
		limit = min(limit, most);
		if (!expect(absolute(node->time - want) <= limit,
			    "seed %u group %td weight %u: %.1f ms, want %.1f +- %.1f",
			    seed, node - sim.node, node->entity.weight,
			    node->time / 1e6, want / 1e6, limit / 1e6))
			return;
	}
}

/* At any time, not just in the end. */
static void test_flat(void)
{
	unsigned int seed, siblings;

	for (seed = 1; seed <= 300; seed++) {
		random_seed(seed);
		siblings = seed <= 100 ? 2 : random_between(3, 16);
		setup(seed, random_between(1, SIM_DEPTH), 1, siblings);
		while (sim.now < MEASURED) {
			sim_serve(&sim);
			check_shares(sim.now, bound(), bound(), seed);
		}
	}
}

static void test_deep(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 400; seed++) {
		random_seed(seed);
		setup(seed, random_between(1, SIM_DEPTH), random_between(2, 4),
		      random_between(2, 16));
		sim_run(&sim, MEASURED);
		check_shares(sim.now, bound(), sim.slice * 7 / 2, seed);
	}
}

/* Short slices and requests that are short beside them: a turn is 42 ms. */
static void test_deep_permille(void)
{
	struct sim_node *node;
	unsigned int seed;

	for (seed = 1; seed <= 100; seed++) {
		random_seed(seed);
		setup(seed, 1, random_between(2, 4), random_between(2, 8));
		sim.slice = 40 * NSEC_PER_MSEC;
		sim_for_each(&sim, node) {
			node->low = min(node->low, NSEC_PER_MSEC);
			node->high = 2 * NSEC_PER_MSEC;
		}
		sim_run(&sim, MEASURED);
		check_shares(sim.now, sim.now / 200, sim.now / 200, seed);
	}
}

/* Groups come one after the other; only then is the time measured. */
static void test_arrivals(void)
{
	struct sim_node *node;
	unsigned int seed;
	u64 start;

	for (seed = 1; seed <= 100; seed++) {
		random_seed(seed);
		sim_init(&sim, random_between(1, SIM_DEPTH), 0);
		sim_random_tree(&sim, random_between(1, 4), 4);
		sim_for_each_leaf(&sim, node) {
			sim_wake(&sim, node);
			sim_run(&sim, random_below(NSEC_PER_SEC));
		}
		sim_forget_times(&sim);
		start = sim.now;
		sim_run(&sim, MEASURED);
		sim_entitle(&sim);
		check_shares(sim.now - start, 2 * turn() + sim.lag, MEASURED,
			     seed);
	}
}

/*
 * A heavy group waits for a turn of one light group, however many there are: so
 * it has a request served every slice and three requests, if two are under way.
 */
static void test_heavy_beside_light(void)
{
	struct sim_node *heavy;
	unsigned int nr, i;
	u64 last, longest;

	for (nr = 1; nr <= 100; nr++) {
		sim_init(&sim, random_between(1, 2), 0);
		heavy = sim_add(&sim, NULL, nr == 10 ? 900 : 100 * nr, true);
		for (i = 0; i < nr; i++)
			sim_add(&sim, NULL, nr == 10 ? 10 :
				random_between(1, 100), true);
		sim_wake_all(&sim);
		longest = 0;
		last = 0;
		while (sim.now < MEASURED) {
			if (sim_serve(&sim) != heavy)
				continue;
			longest = max(longest, sim.now - last);
			last = sim.now;
		}
		longest = max(longest, sim.now - last);
		expect(longest <= turn() + 20 * NSEC_PER_MSEC,
		       "beside %u light groups the heavy one waited %.1f ms",
		       nr, longest / 1e6);
	}
}

/* A light group waits until the others had what they may have meanwhile. */
static void test_starvation(void)
{
	unsigned int seed, i, weights, nr;
	struct sim_node *light;
	u64 waited, longest, last;

	for (seed = 1; seed <= 6; seed++) {
		random_seed(seed);
		sim_init(&sim, random_between(1, 2), 0);
		light = sim_add(&sim, NULL, 1, true);
		nr = random_between(1, 3);
		weights = 1;
		for (i = 0; i < nr; i++)
			weights += sim_add(&sim, NULL, seed == 1 ? 10000 :
					   random_between(1000, 10000),
					   true)->entity.weight;
		sim_wake_all(&sim);
		longest = 0;
		last = 0;
		while (sim.now < 2 * turn() * weights) {
			if (sim_serve(&sim) != light)
				continue;
			waited = sim.now - last;
			last = sim.now;
			longest = max(longest, waited);
		}
		longest = max(longest, sim.now - last);
		expect(longest <= turn() * (weights + nr),
		       "seed %u: weight 1 of %u waited %.1f s", seed, weights,
		       longest / 1e9);
	}
}

/* Two subtrees; the second one has @nr leaves.  Return: the first one's time. */
static u64 time_beside(unsigned int nr, u64 *inside)
{
	struct sim_node *a, *b, *leaf;
	unsigned int i;

	random_seed(1);
	sim_init(&sim, 1, 0);
	a = sim_add(&sim, NULL, 300, false);
	leaf = sim_add(&sim, a, 200, true);
	sim_add(&sim, a, 100, true);
	b = sim_add(&sim, NULL, 100, false);
	for (i = 0; i < nr; i++)
		sim_add(&sim, b, random_magnitude(1, 10000), true);
	sim_wake_all(&sim);
	while (sim.now < 10 * MEASURED)
		sim_serve(&sim);
	*inside = leaf->time;
	return a->time;
}

static void test_siblings_only(void)
{
	u64 inside, total = 10 * MEASURED;
	unsigned int nr;

	for (nr = 1; nr <= 64; nr *= 2) {
		u64 time = time_beside(nr, &inside);
		s64 slack = 2 * turn();

		expect_within(time, total * 3 / 4 - slack,
			      total * 3 / 4 + slack, "time of the subtree");
		expect_within(inside, total / 2 - slack, total / 2 + slack,
			      "time of a group in the subtree");
	}
}

static const struct unit_test tests[] = {
	TEST("siblings are within a turn of their shares at any time",
	     test_flat),
	TEST("groups get their shares within a turn a level, or 3.5 slices",
	     test_deep),
	TEST("deep groups get theirs within 5 permille if a turn is 42 ms",
	     test_deep_permille),
	TEST("groups that come later get their shares from then on",
	     test_arrivals),
	TEST("a heavy group waits for one light one at a time",
	     test_heavy_beside_light),
	TEST("weight 1 beside 10000 waits no longer than its share asks for",
	     test_starvation),
	TEST("a subtree's share depends on its siblings only",
	     test_siblings_only),
	{ }
};

const struct unit_suite shares_suite = { "shares", tests };
