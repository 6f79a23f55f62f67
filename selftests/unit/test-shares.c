// SPDX-License-Identifier: GPL-2.0
/*
 * Shares: groups that always have requests get the device time that their
 * weights entitle them to.
 *
 * A group that is chosen keeps the device for a slice and what was under way
 * when it ended: a turn.  Two siblings are never more than a turn of each
 * apart, in time divided by weight.  What follows for one group's time is in
 * bound() below.
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

static double absolute(double x)
{
	return x < 0 ? -x : x;
}

static unsigned int nr_siblings(const struct sim_node *of)
{
	unsigned int nr = 0;
	struct sim_node *node;

	sim_for_each(&sim, node)
		nr += node->parent == of->parent;
	return nr;
}

/*
 * How far (ns) a group may be from its entitlement if siblings are at most
 * @turn / weight apart from level: a turn of its own, one of each sibling in
 * proportion to its share, and its part of what its parent is off.
 */
static double bound(const struct sim_node *node, double turn)
{
	double parent = node->parent ? node->parent->share : 1;
	double part = node->share / parent;

	return turn * (1 - part) + turn * (nr_siblings(node) - 1) * part +
	       (node->parent ? part * bound(node->parent, turn) : 0);
}

/* Check all groups after they shared @total ns of the device. */
static void check_shares(u64 total, double turn, unsigned int seed)
{
	struct sim_node *node;

	sim_for_each(&sim, node) {
		double want = node->share * total;
		double off = absolute(node->time - want);

		if (!expect(off <= bound(node, turn),
			    "seed %u group %td weight %u: %.1f ms, want %.1f +- %.1f",
			    seed, node - sim.node, node->entity.weight,
			    node->time / 1e6, want / 1e6,
			    bound(node, turn) / 1e6))
			return;
	}
}

static void test_two_groups(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 200; seed++) {
		struct sim_node *a, *b;
		double off;

		random_seed(seed);
		sim_init(&sim, random_between(1, 2), 0);
		a = sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		b = sim_add(&sim, NULL, random_magnitude(1, 10000), true);
		sim_wake_all(&sim);
		sim_run(&sim, MEASURED);
		sim_entitle(&sim);
		check_shares(sim.now, turn(), seed);
		off = absolute((double)a->time / sim.now - a->share);
		expect(off <= 0.005, "seed %u weights %u:%u off by %.4f", seed,
		       a->entity.weight, b->entity.weight, off);
	}
}

static void test_random_trees(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 300; seed++) {
		random_seed(seed);
		sim_init(&sim, random_between(1, SIM_DEPTH), 0);
		sim_random_tree(&sim, random_between(1, 4),
				random_between(2, 8));
		sim_wake_all(&sim);
		sim_run(&sim, MEASURED);
		sim_entitle(&sim);
		check_shares(sim.now, turn(), seed);
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
		check_shares(sim.now - start, 2 * turn() + sim.lag, seed);
	}
}

/* Every group alone decides how far it is off: a turn at each level. */
static void test_many_siblings(void)
{
	unsigned int seed, level;
	struct sim_node *node, *up;

	for (seed = 1; seed <= 100; seed++) {
		random_seed(seed);
		sim_init(&sim, 1, 0);
		sim_random_tree(&sim, random_between(1, 3), 16);
		sim_wake_all(&sim);
		sim_run(&sim, MEASURED);
		sim_entitle(&sim);
		sim_for_each(&sim, node) {
			double off = absolute(node->time - node->share *
					      sim.now);

			level = 0;
			for (up = node; up; up = up->parent)
				level++;
			expect(off <= level * turn(),
			       "seed %u group %td weight %u of %u siblings: off by %.0f ms",
			       seed, node - sim.node, node->entity.weight,
			       nr_siblings(node), off / 1e6);
		}
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
	TEST("two groups get their shares within a slice and 5 permille",
	     test_two_groups),
	TEST("random trees get their shares within a turn of each sibling",
	     test_random_trees),
	TEST("groups that come later get their shares from then on",
	     test_arrivals),
	XFAIL("shares are within a turn at each level, whatever the siblings",
	      test_many_siblings, "light siblings take their turns in a row"),
	TEST("weight 1 beside 10000 waits no longer than its share asks for",
	     test_starvation),
	TEST("a subtree's share depends on its siblings only",
	     test_siblings_only),
	{ }
};

const struct unit_suite shares_suite = { "shares", tests };
