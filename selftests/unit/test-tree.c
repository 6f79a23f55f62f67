// SPDX-License-Identifier: GPL-2.0
/*
 * The trees themselves: after any sequence of operations they are ordered,
 * complete and consistent from level to level, and every vdisktime is what a
 * naive model says.
 *
 * Takes no locks.
 */
#include <linux/string.h>

#include "sim.h"
#include "test-tree.h"

#define MAX_LEAD	(2 * NSEC_PER_SEC)

/**
 * struct naive_tree - what a tree must be like, found out the slow way
 * @min: its min_vdisktime
 * @served: device time (ns) charged to all in it
 */
struct naive_tree {
	u64 min;
	u64 served;
};

/**
 * struct shadow - the same of a group
 * @below: the tree of its children
 * @vdisktime: as the entity's
 * @left: the tree's served when it left
 * @wants: a leaf that has work
 * @busy: it has, or one below it
 */
struct shadow {
	struct naive_tree below;
	u64 vdisktime;
	u64 left;
	bool wants;
	bool busy;
};

static struct sim sim;
static struct shadow shadow[SIM_NODES];
static struct naive_tree top;

static struct shadow *shadow_of(const struct sim_node *node)
{
	return &shadow[node - sim.node];
}

/* The tree below @parent, the topmost one for NULL. */
static struct naive_tree *naive_below(const struct sim_node *parent)
{
	return parent ? &shadow_of(parent)->below : &top;
}

static u64 scaled(u64 ns, unsigned int weight)
{
	return ns * CFQX_WEIGHT_SCALE / weight;
}

static bool is_busy(const struct sim_node *node)
{
	return shadow_of(node)->busy;
}

/* A leaf has work or not; note who leaves by that. */
static void set_wants(struct sim_node *leaf, bool wants)
{
	struct sim_node *node, *up;
	bool was;

	shadow_of(leaf)->wants = wants;
	for (up = leaf; up; up = up->parent) {
		was = shadow_of(up)->busy;
		shadow_of(up)->busy = up->leaf && wants;
		sim_for_each(&sim, node)
			if (node->parent == up && is_busy(node))
				shadow_of(up)->busy = true;
		if (was && !is_busy(up))
			shadow_of(up)->left = naive_below(up->parent)->served;
	}
}

/* Follow min_vdisktime: it is the least of those queued, or where it was. */
static void update_min(const struct sim_node *parent)
{
	u64 *min = &naive_below(parent)->min;
	bool found = false;
	struct sim_node *node;
	u64 least = 0;

	sim_for_each(&sim, node) {
		if (node->parent != parent || !is_busy(node))
			continue;
		if (!found || (s64)(shadow_of(node)->vdisktime - least) < 0)
			least = shadow_of(node)->vdisktime;
		found = true;
	}
	if (found && (s64)(least - *min) > 0)
		*min = least;
}

/* Walk a tree in order.  Return: how many are in it. */
static unsigned int check_order(struct cfqx_service_tree *tree)
{
	struct rb_node *rb = rb_first(&tree->root.rb_root);
	struct cfqx_entity *entity, *last = NULL;
	unsigned int nr = 0;

	expect(rb_first_cached(&tree->root) == rb, "first is not the first");
	for (; rb; rb = rb_next(rb), nr++, last = entity) {
		entity = rb_entry(rb, struct cfqx_entity, node);
		expect(entity->queued, "not queued, but in a tree");
		expect(entity->tree == tree, "in a tree of others");
		expect(!last || (s64)(entity->vdisktime -
				      last->vdisktime) >= 0,
		       "tree is not in order");
	}
	return nr;
}

static void check_tree(struct cfqx_service_tree *tree, struct sim_node *owner)
{
	u64 min = naive_below(owner)->min;
	unsigned int nr = 0;
	struct sim_node *node;

	sim_for_each(&sim, node)
		nr += node->parent == owner && is_busy(node);
	expect(tree->nr_queued == nr, "nr_queued is %u, not %u",
	       tree->nr_queued, nr);
	expect(check_order(tree) == nr, "not all are in the tree");
	expect(tree->min_vdisktime == min, "min_vdisktime is %llu, not %llu",
	       tree->min_vdisktime, min);
	expect(tree->owner == (owner ? &owner->entity : NULL), "owner changed");
	expect(!tree->active ||
	       (tree->active->queued && tree->active->tree == tree),
	       "who is active is not queued");
}

static void check_all(void)
{
	struct sim_node *node;

	check_tree(&sim.top, NULL);
	sim_for_each(&sim, node) {
		expect(node->entity.queued == is_busy(node),
		       "group %td is queued wrongly", node - sim.node);
		expect(node->entity.vdisktime == shadow_of(node)->vdisktime,
		       "vdisktime of group %td is %llu, not %llu",
		       node - sim.node, node->entity.vdisktime,
		       shadow_of(node)->vdisktime);
		if (!node->leaf)
			check_tree(&node->children, node);
	}
}

static struct sim_node *random_node(bool leaf)
{
	struct sim_node *node;

	do
		node = &sim.node[random_below(sim.nr_nodes)];
	while (node->leaf != leaf);
	return node;
}

/*
 * Who comes back is owed max_lag of its own service, after a short gap also of
 * that of the first one there; and it owes MAX_LEAD of its own, at most.
 */
static u64 place(const struct sim_node *node)
{
	struct rb_node *rb = rb_first_cached(&node->entity.tree->root);
	const struct naive_tree *tree = naive_below(node->parent);
	s64 lead = shadow_of(node)->vdisktime - tree->min;
	s64 away = tree->served - shadow_of(node)->left;
	s64 owed = scaled(sim.lag, node->entity.weight);

	if (rb && away <= (s64)sim.lag)
		owed += scaled(sim.lag, rb_entry(rb, struct cfqx_entity,
						 node)->weight);
	return tree->min + clamp(lead, -owed, (s64)scaled(MAX_LEAD,
							  node->entity.weight));
}

static void do_enqueue(void)
{
	struct sim_node *leaf = random_node(true), *node;

	for (node = leaf; node && !is_busy(node); node = node->parent)
		shadow_of(node)->vdisktime = place(node);
	set_wants(leaf, true);
	for (node = leaf; node; node = node->parent)
		update_min(node->parent);
	sim_wake(&sim, leaf);
}

static void do_dequeue(void)
{
	struct sim_node *leaf = random_node(true), *node;

	set_wants(leaf, false);
	for (node = leaf; node; node = node->parent)
		update_min(node->parent);
	sim_sleep(&sim, leaf);
}

static void do_charge(void)
{
	struct sim_node *leaf = random_node(true), *node;
	s64 ns = random_magnitude(1, NSEC_PER_SEC);

	if (random_chance(20))
		ns = -ns;
	for (node = leaf; node; node = node->parent) {
		u64 v = scaled(ns < 0 ? -ns : ns, node->entity.weight);

		shadow_of(node)->vdisktime += ns < 0 ? -v : v;
		naive_below(node->parent)->served += ns;
		update_min(node->parent);
	}
	cfqx_entity_charge(&leaf->entity, ns);
}

/* A weight may change at any time. */
static void do_weight(void)
{
	random_node(random_chance(50))->entity.weight =
		random_magnitude(1, CFQX_WEIGHT_SCALE);
}

static void do_move(void)
{
	struct sim_node *leaf = random_node(true);
	struct sim_node *parent = random_node(false);

	if (leaf->entity.queued)
		return;
	if (parent != leaf->parent) {
		shadow_of(leaf)->vdisktime = naive_below(parent)->min;
		shadow_of(leaf)->left = naive_below(parent)->served;
	}
	leaf->parent = parent;
	cfqx_entity_move(&leaf->entity, &parent->children);
}

static void do_select(void)
{
	struct cfqx_entity *entity = cfqx_tree_select(&sim.top);
	struct cfqx_service_tree *tree;

	if (!entity) {
		expect(!sim.top.nr_queued, "nobody is chosen");
		return;
	}
	expect(!entity->sub && entity->queued, "not a queued leaf is chosen");
	for (; entity; entity = tree->owner) {
		tree = entity->tree;
		expect(tree->active == entity, "chosen, but not active");
		expect(entity->slice_used < (s64)sim.slice, "slice is over");
	}
}

static void do_end_slice(void)
{
	struct sim_node *node = random_node(random_chance(50));

	cfqx_entity_end_slice(&node->entity);
	expect(node->entity.tree->active != &node->entity, "still active");
}

/**
 * tree_operations - any operations on random trees, compared to the model
 * @seed: of the random numbers
 * @vdisktime: where the trees begin
 */
void tree_operations(unsigned int seed, u64 vdisktime)
{
	static void (*const operations[])(void) = {
		do_enqueue, do_enqueue, do_dequeue, do_charge, do_charge,
		do_select, do_weight, do_move, do_end_slice,
	};
	struct sim_node *node;
	unsigned int i;

	random_seed(seed);
	sim_init(&sim, 1, vdisktime);
	sim_add(&sim, NULL, 100, false);
	sim_add(&sim, NULL, 100, true);
	sim_random_tree(&sim, random_between(1, 4), 4);
	top = (struct naive_tree) { .min = vdisktime };
	memset(shadow, 0, sizeof(shadow));
	sim_for_each(&sim, node) {
		shadow_of(node)->vdisktime = vdisktime;
		shadow_of(node)->below.min = vdisktime;
	}
	check_all();
	for (i = 0; i < 1000 && !expect_failed(); i++) {
		operations[random_below(ARRAY_SIZE(operations))]();
		check_all();
	}
}

static void test_operations(void)
{
	unsigned int seed;

	for (seed = 1; seed <= 60; seed++)
		tree_operations(seed, 0);
}

/* Each is found once: the order holds for more than a handful of entities. */
static void test_many(void)
{
	struct sim_node *node;
	unsigned int i;

	sim_init(&sim, 1, 0);
	for (i = 0; i < SIM_NODES; i++)
		sim_add(&sim, NULL, 100, true);
	sim_wake_all(&sim);
	for (i = 0; i < SIM_NODES; i++) {
		struct cfqx_entity *entity = cfqx_tree_select(&sim.top);

		node = container_of(entity, struct sim_node, entity);
		expect(!node->time, "served twice before others");
		node->time = 1;
		cfqx_entity_charge(entity, 2 * sim.slice - i);
	}
	expect(check_order(&sim.top) == SIM_NODES, "some are missing");
}

static void test_vdisktime(void)
{
	expect(cfqx_vdisktime(7, CFQX_WEIGHT_SCALE) == 7, "greatest weight");
	expect(cfqx_vdisktime(7, 1) == 70000, "least weight");
	expect(cfqx_vdisktime(3600 * NSEC_PER_SEC, 1) ==
	       3600 * NSEC_PER_SEC * 10000, "an hour at the least weight");
}

static const struct unit_test tests[] = {
	TEST("vdisktime is time divided by weight", test_vdisktime),
	TEST("any operations leave what a naive model says", test_operations),
	TEST("of many equal ones each is served once", test_many),
	{ }
};

const struct unit_suite tree_suite = { "tree", tests };
