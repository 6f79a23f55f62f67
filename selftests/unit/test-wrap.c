// SPDX-License-Identifier: GPL-2.0
/*
 * The wrap of vdisktime: where a tree begins makes no difference, not even
 * shortly before the largest number there is.
 *
 * Takes no locks.
 */
#include "sim.h"
#include "test-tree.h"

#define SERVED	20000

static struct sim sim;
static unsigned char order[SERVED];

/* Serve random groups that come and go.  Return: who is served, by @order. */
static void serve(unsigned int seed, u64 vdisktime, unsigned char *order)
{
	struct sim_node *node;
	unsigned int i;

	random_seed(seed);
	sim_init(&sim, random_between(1, SIM_DEPTH), vdisktime);
	sim_random_tree(&sim, random_between(1, 4), 4);
	sim_wake_all(&sim);
	for (i = 0; i < SERVED; i++) {
		node = sim_serve(&sim);
		order[i] = node ? node - sim.node : SIM_NODES - 1;
		sim_for_each_leaf(&sim, node) {
			if (node->entity.queued && random_chance(2))
				sim_sleep(&sim, node);
			else if (!node->entity.queued && random_chance(20))
				sim_wake(&sim, node);
		}
	}
}

static void test_same_order(void)
{
	static unsigned char wrapped[SERVED];
	unsigned int seed, i;
	u64 start;

	for (seed = 1; seed <= 20; seed++) {
		serve(seed, 0, order);
		start = -random_magnitude(1, 1000000 * NSEC_PER_SEC);
		if (seed & 1)
			start ^= 1ULL << 63;
		serve(seed, start, wrapped);
		for (i = 0; i < SERVED; i++)
			if (!expect(order[i] == wrapped[i],
				    "seed %u: from %llu the %uth served differs",
				    seed, start, i))
				return;
	}
}

static void test_operations(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 30; seed++) {
		tree_operations(seed, -(u64)seed * NSEC_PER_SEC);
		tree_operations(seed, (1ULL << 63) - seed * NSEC_PER_SEC);
	}
}

static void test_it_wraps(void)
{
	u64 start = -NSEC_PER_SEC;

	sim_init(&sim, 1, start);
	sim_add(&sim, NULL, 1, true);
	sim_add(&sim, NULL, 2, true);
	sim_wake_all(&sim);
	sim_run(&sim, 10 * NSEC_PER_SEC);
	expect(sim.top.vtime < start, "these tests do not wrap at all");
	expect_within(sim.node[1].time - 2 * sim.node[0].time,
		      -3 * (s64)sim.slice, 3 * sim.slice, "unfairness");
}

static const struct unit_test tests[] = {
	TEST("shares hold through the wrap", test_it_wraps),
	TEST("the same are served in the same order", test_same_order),
	TEST("any operations leave what a naive model says", test_operations),
	{ }
};

const struct unit_suite wrap_suite = { "wrap", tests };
