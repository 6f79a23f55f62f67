// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated device: see sim.h.  Takes no locks.
 */
#include <linux/string.h>

#include "sim.h"

/**
 * sim_init - a device without groups
 * @sim: the device
 * @depth: how many requests it has at a time, 1 .. SIM_DEPTH
 * @vdisktime: where the trees begin
 */
void sim_init(struct sim *sim, unsigned int depth, u64 vdisktime)
{
	memset(sim, 0, sizeof(*sim));
	sim->slice = 100 * NSEC_PER_MSEC;
	sim->lag = sim->slice;
	sim->depth = depth;
	cfqx_tree_init(&sim->top, NULL);
	sim->top.vtime = vdisktime;
	cfqx_time_init(&sim->clock, 0, false);
}

/**
 * sim_add - one more group
 * @sim: the device
 * @parent: where, NULL at the top
 * @weight: its weight
 * @leaf: it has requests; else it will have children
 *
 * Its requests take 0.1 to 20 ms, and each group keeps to a part of that.
 *
 * Return: the group.
 */
struct sim_node *sim_add(struct sim *sim, struct sim_node *parent,
			 unsigned int weight, bool leaf)
{
	struct sim_node *node = &sim->node[sim->nr_nodes++];

	node->parent = parent;
	node->leaf = leaf;
	node->low = random_between(100 * NSEC_PER_USEC, 20 * NSEC_PER_MSEC);
	node->high = random_between(node->low, 20 * NSEC_PER_MSEC);
	cfqx_entity_init(&node->entity, parent ? &parent->children : &sim->top,
			 weight, &sim->slice);
	if (!leaf) {
		cfqx_tree_init(&node->children, &node->entity);
		node->children.vtime = sim->top.vtime;
	}
	return node;
}

/**
 * sim_leaf - the first leaf there is
 * @sim: the device
 * @from: where to begin
 *
 * Return: the leaf, NULL if there are no more.
 */
struct sim_node *sim_leaf(struct sim *sim, struct sim_node *from)
{
	for (; from < sim->node + sim->nr_nodes; from++)
		if (from->leaf)
			return from;
	return NULL;
}

static void add_random_children(struct sim *sim, struct sim_node *parent,
				unsigned int levels, unsigned int max_children)
{
	unsigned int i, nr = random_between(1, max_children);
	unsigned int limit = SIM_NODES - max_children;

	for (i = 0; i < nr && sim->nr_nodes < limit; i++) {
		bool leaf = levels == 1 || random_chance(60) ||
			    sim->nr_nodes + 1 == limit;
		struct sim_node *node;

		node = sim_add(sim, parent,
			       random_magnitude(1, CFQX_WEIGHT_SCALE), leaf);
		node->entity.urgent = leaf && random_chance(30);
		if (!leaf)
			add_random_children(sim, node, levels - 1,
					    max_children);
	}
}

/**
 * sim_random_tree - groups of random weight in a random hierarchy
 * @sim: the device, without groups
 * @max_level: how deep it may be
 * @max_children: how many siblings there may be
 */
void sim_random_tree(struct sim *sim, unsigned int max_level,
		     unsigned int max_children)
{
	add_random_children(sim, NULL, max_level, max_children);
}

/**
 * sim_entitle - what part of the device each group is entitled to
 * @sim: the device; all leaves are taken to be backlogged
 */
void sim_entitle(struct sim *sim)
{
	struct sim_node *node, *sibling;

	sim_for_each(sim, node) {
		double weights = 0;

		sim_for_each(sim, sibling)
			if (sibling->parent == node->parent)
				weights += sibling->entity.weight;
		node->share = node->entity.weight / weights;
		if (node->parent)
			node->share *= node->parent->share;
	}
}

/**
 * sim_wake - a leaf has requests from now on
 * @sim: the device
 * @leaf: the leaf
 */
void sim_wake(struct sim *sim, struct sim_node *leaf)
{
	cfqx_entity_enqueue(&leaf->entity, sim->lag);
}

/**
 * sim_wake_all - all leaves have requests from now on
 * @sim: the device
 */
void sim_wake_all(struct sim *sim)
{
	struct sim_node *node;

	sim_for_each_leaf(sim, node)
		sim_wake(sim, node);
}

/**
 * sim_sleep - a leaf has no more requests, but for those in the device
 * @sim: the device
 * @leaf: the leaf
 */
void sim_sleep(struct sim *sim, struct sim_node *leaf)
{
	(void)sim;
	cfqx_entity_dequeue(&leaf->entity);
}

static void fill_device(struct sim *sim)
{
	struct cfqx_entity *entity;

	while (sim->nr_flight < sim->depth) {
		entity = cfqx_tree_select(&sim->top);
		if (!entity)
			break;
		cfqx_time_dispatch(&sim->clock, sim->now, 1);
		sim->flight[sim->nr_flight++] =
			container_of(entity, struct sim_node, entity);
	}
}

/**
 * sim_serve - let the device complete a request and charge it
 * @sim: the device
 *
 * Return: whose request it was, NULL if nobody has any.
 */
struct sim_node *sim_serve(struct sim *sim)
{
	struct sim_node *leaf, *node;
	u64 ns;

	fill_device(sim);
	if (!sim->nr_flight)
		return NULL;
	leaf = sim->flight[0];
	memmove(sim->flight, sim->flight + 1,
		--sim->nr_flight * sizeof(sim->flight[0]));
	sim->now += random_between(leaf->low, leaf->high);
	ns = cfqx_time_complete(&sim->clock, sim->now, 0, 1);
	for (node = leaf; node; node = node->parent)
		node->time += ns;
	cfqx_entity_charge(&leaf->entity, ns);
	return leaf;
}

/**
 * sim_run - let the device work
 * @sim: the device
 * @ns: for so long at least, while somebody has requests
 */
void sim_run(struct sim *sim, u64 ns)
{
	u64 until = sim->now + ns;

	while (sim->now < until && sim_serve(sim))
		;
}

/**
 * sim_forget_times - begin to measure
 * @sim: the device
 */
void sim_forget_times(struct sim *sim)
{
	struct sim_node *node;

	sim_for_each(sim, node)
		node->time = 0;
}
