// SPDX-License-Identifier: GPL-2.0
/*
 * The trees themselves: after any sequence of operations they are ordered,
 * complete and consistent from level to level, every vdisktime and every choice
 * is what a naive model says.
 *
 * Takes no locks.
 */
#include <linux/string.h>

#include "sim.h"
#include "test-tree.h"

#define MAX_LEAD	(2 * NSEC_PER_SEC)

/**
 * struct shadow - what a group must be like, found out the slow way
 * @below: vtime of the tree of its children
 * @vdisktime: as the entity's
 * @wants: a leaf that has work
 * @busy: it has, or one below it
 * @kept: was chosen and has not used its slice yet
 */
struct shadow {
	u64 below;
	u64 vdisktime;
	bool wants;
	bool busy;
	bool kept;
};

static struct sim sim;
static struct shadow shadow[SIM_NODES];
static u64 top;

static struct shadow *shadow_of(const struct sim_node *node)
{
	return &shadow[node - sim.node];
}

/* The vtime of the tree below @parent, of the topmost one for NULL. */
static u64 *vtime_below(const struct sim_node *parent)
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

/* A leaf has work or not. */
static void set_wants(struct sim_node *leaf, bool wants)
{
	struct sim_node *node, *up;

	shadow_of(leaf)->wants = wants;
	for (up = leaf; up; up = up->parent) {
		shadow_of(up)->busy = up->leaf && wants;
		sim_for_each(&sim, node)
			if (node->parent == up && is_busy(node))
				shadow_of(up)->busy = true;
	}
}

/* The average of what there is, rounded down; whatever the numbers are. */
static u64 average(const struct cfqx_entity *entity, unsigned int stride,
		   unsigned int nr)
{
	const struct cfqx_entity *from = entity;
	__int128 sum = 0, weights = 0, quotient;

	for (; nr--; entity = (void *)((char *)entity + stride)) {
		sum += (__int128)entity->weight *
		       (s64)(entity->vdisktime - from->vdisktime);
		weights += entity->weight;
	}
	quotient = sum / weights;
	return from->vdisktime + quotient - (quotient * weights > sum);
}

/* Follow vtime: it is the average of those queued, or where it was. */
static void update_vtime(const struct sim_node *parent)
{
	static struct cfqx_entity busy[SIM_NODES];
	struct sim_node *node;
	unsigned int nr = 0;

	sim_for_each(&sim, node) {
		if (node->parent != parent || !is_busy(node))
			continue;
		busy[nr].vdisktime = shadow_of(node)->vdisktime;
		busy[nr++].weight = node->entity.weight;
	}
	if (nr)
		*vtime_below(parent) = average(busy, sizeof(busy[0]), nr);
}

/* Check the order of a tree.  Return: the least deadline in it. */
static u64 check_part(struct rb_node *rb, struct cfqx_service_tree *tree,
		      struct cfqx_entity **last, unsigned int *nr)
{
	struct cfqx_entity *entity = rb_entry(rb, struct cfqx_entity, node);
	u64 earliest = entity->deadline, below;

	if (rb->rb_left) {
		below = check_part(rb->rb_left, tree, last, nr);
		if ((s64)(below - earliest) < 0)
			earliest = below;
	}
	expect(entity->queued, "not queued, but in a tree");
	expect(entity->tree == tree, "in a tree of others");
	expect(!*last || (s64)(entity->vdisktime - (*last)->vdisktime) >= 0,
	       "tree is not in order");
	*last = entity;
	++*nr;
	if (rb->rb_right) {
		below = check_part(rb->rb_right, tree, last, nr);
		if ((s64)(below - earliest) < 0)
			earliest = below;
	}
	expect(entity->earliest == earliest, "the least deadline is wrong");
	return earliest;
}

/* Return: how many are in a tree. */
static unsigned int check_order(struct cfqx_service_tree *tree)
{
	struct cfqx_entity *last = NULL;
	unsigned int nr = 0;

	if (tree->root.rb_node)
		check_part(tree->root.rb_node, tree, &last, &nr);
	return nr;
}

/* Is @node below @owner, or @owner the top? */
static bool is_below(const struct sim_node *node, const struct sim_node *owner)
{
	while (node && node != owner)
		node = node->parent;
	return node == owner;
}

static void check_tree(struct cfqx_service_tree *tree, struct sim_node *owner)
{
	u64 vtime = *vtime_below(owner);
	unsigned int nr = 0, nr_urgent = 0;
	struct sim_node *node;

	sim_for_each(&sim, node) {
		nr += node->parent == owner && is_busy(node);
		nr_urgent += node->entity.urgent && node->entity.queued &&
			     is_below(node, owner);
	}
	expect(tree->nr_urgent == nr_urgent, "nr_urgent is %u, not %u",
	       tree->nr_urgent, nr_urgent);
	expect(tree->nr_queued == nr, "nr_queued is %u, not %u",
	       tree->nr_queued, nr);
	expect(check_order(tree) == nr, "not all are in the tree");
	expect(tree->vtime == vtime, "vtime is %llu, not %llu", tree->vtime,
	       vtime);
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
 * Who comes back is owed max_lag of its own service, counted from where vtime
 * is then; and it owes MAX_LEAD of its own, at most.
 */
static u64 place(const struct sim_node *node)
{
	const struct cfqx_service_tree *tree = node->entity.tree;
	u64 vtime = *vtime_below(node->parent);
	s64 lead = shadow_of(node)->vdisktime - vtime;
	s64 owed = scaled(sim.lag, node->entity.weight);
	struct sim_node *sibling;
	unsigned int weights = 0;

	sim_for_each(&sim, sibling)
		if (sibling->entity.tree == tree && is_busy(sibling))
			weights += sibling->entity.weight;
	if (weights)
		owed += scaled(sim.lag, weights);
	return vtime + clamp(lead, -owed, (s64)scaled(MAX_LEAD,
						      node->entity.weight));
}

static void do_enqueue(void)
{
	struct sim_node *leaf = random_node(true), *node;

	for (node = leaf; node && !is_busy(node); node = node->parent)
		shadow_of(node)->vdisktime = place(node);
	set_wants(leaf, true);
	for (node = leaf; node; node = node->parent)
		update_vtime(node->parent);
	sim_wake(&sim, leaf);
}

static void do_dequeue(void)
{
	struct sim_node *leaf = random_node(true), *node;

	set_wants(leaf, false);
	for (node = leaf; node; node = node->parent)
		update_vtime(node->parent);
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
		update_vtime(node->parent);
	}
	cfqx_entity_charge(&leaf->entity, ns);
}

/* A weight may change at any time; what is owed does not change by that. */
static void do_weight(void)
{
	struct sim_node *node = random_node(random_chance(50));
	unsigned int weight = random_magnitude(1, CFQX_WEIGHT_SCALE);
	unsigned int old = node->entity.weight;
	s64 limit = scaled(MAX_LEAD, old);
	s64 lag = *vtime_below(node->parent) - shadow_of(node)->vdisktime;

	lag = clamp(lag, -limit, limit);
	if (weight != old)
		shadow_of(node)->vdisktime = *vtime_below(node->parent) -
					     lag * old / weight;
	cfqx_entity_set_weight(&node->entity, weight);
	expect(node->entity.weight == weight, "weight is not set");
	update_vtime(node->parent);
}

static void do_move(void)
{
	struct sim_node *leaf = random_node(true);
	struct sim_node *parent = random_node(false);

	if (leaf->entity.queued)
		return;
	if (parent != leaf->parent)
		shadow_of(leaf)->vdisktime = *vtime_below(parent);
	leaf->parent = parent;
	cfqx_entity_move(&leaf->entity, &parent->children);
}

/* Is it, or is there below it, a queue with work that somebody waits for? */
static bool is_urgent(const struct cfqx_entity *entity)
{
	const struct sim_node *above = container_of(entity, struct sim_node,
						    entity);
	struct sim_node *node;

	sim_for_each(&sim, node)
		if (node->entity.queued && node->entity.urgent &&
		    is_below(node, above))
			return true;
	return false;
}

/* May @chosen come before the slice of @active is over? */
static bool may_come(const struct cfqx_entity *chosen,
		     const struct cfqx_entity *active)
{
	return is_urgent(chosen) && !is_urgent(active) &&
	       active->slice_used >= (s64)sim.slice * 2 / 5;
}

/* Of @tree's eligible ones that with the least deadline, NULL if not the only. */
static const struct cfqx_entity *first_due(const struct cfqx_service_tree *tree,
					   u64 vtime)
{
	const struct cfqx_entity *due = NULL;
	struct sim_node *node;
	bool tie = false;

	sim_for_each(&sim, node) {
		const struct cfqx_entity *entity = &node->entity;

		if (entity->tree != tree || !entity->queued ||
		    (s64)(vtime - entity->vdisktime) < 0)
			continue;
		tie = due ? entity->deadline == due->deadline ||
			    (tie && (s64)(due->deadline - entity->deadline) < 0)
			  : false;
		if (!due || (s64)(entity->deadline - due->deadline) < 0)
			due = entity;
	}
	return tie ? NULL : due;
}

/* May @entity be chosen: is it eligible, and nobody who is has to go first? */
static void check_choice(const struct cfqx_entity *entity)
{
	const struct cfqx_entity *due;
	struct sim_node *node;
	u64 vtime;
	bool kept;

	node = container_of(entity, struct sim_node, entity);
	vtime = *vtime_below(node->parent);
	kept = shadow_of(node)->kept;
	expect(kept || (s64)(vtime - entity->vdisktime) >= 0,
	       "who is ahead is chosen");
	expect(entity->deadline - entity->vdisktime ==
	       scaled(sim.slice, entity->weight), "deadline is not a slice away");
	sim_for_each(&sim, node) {
		const struct cfqx_entity *other = &node->entity;

		if (other->tree != entity->tree || !other->queued ||
		    other == entity)
			continue;
		expect(!shadow_of(node)->kept || may_come(entity, other),
		       "the active one is left");
		expect(kept || (s64)(vtime - other->vdisktime) < 0 ||
		       (s64)(entity->deadline - other->deadline) <= 0,
		       "the least deadline is not chosen");
	}
	if (kept) {
		due = first_due(entity->tree, vtime);
		expect(!due || due == entity || !may_come(due, entity),
		       "whom somebody waits for does not come in between");
	}
}

static void do_select(void)
{
	struct cfqx_service_tree *tree;
	struct cfqx_entity *entity;
	struct sim_node *node;

	sim_for_each(&sim, node) {
		entity = &node->entity;
		shadow_of(node)->kept = entity->tree->active == entity &&
					entity->slice_used < (s64)sim.slice;
	}
	entity = cfqx_tree_select(&sim.top);
	expect(cfqx_tree_select(&sim.top) == entity, "another one at once");
	if (!entity) {
		expect(!sim.top.nr_queued, "nobody is chosen");
		return;
	}
	expect(!entity->sub && entity->queued, "not a queued leaf is chosen");
	for (; entity; entity = tree->owner) {
		tree = entity->tree;
		expect(tree->active == entity, "chosen, but not active");
		expect(entity->slice_used < (s64)sim.slice, "slice is over");
		check_choice(entity);
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
	top = vdisktime;
	memset(shadow, 0, sizeof(shadow));
	sim_for_each(&sim, node) {
		shadow_of(node)->vdisktime = vdisktime;
		shadow_of(node)->below = vdisktime;
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

/* Any weights, charges of hours: vtime is still exact, nobody is lost. */
static void test_extremes(void)
{
	static struct cfqx_entity entities[10000];
	const unsigned int nr = ARRAY_SIZE(entities);
	struct cfqx_service_tree tree;
	const u64 slice = 100 * NSEC_PER_MSEC;
	unsigned int i, j;

	cfqx_tree_init(&tree, NULL);
	tree.vtime = -NSEC_PER_SEC;
	for (i = 0; i < nr; i++) {
		cfqx_entity_init(&entities[i], &tree,
				 random_magnitude(1, CFQX_WEIGHT_SCALE),
				 &slice);
		cfqx_entity_enqueue(&entities[i], slice);
	}
	for (i = 0; i < 20; i++) {
		for (j = 0; j < nr; j++) {
			s64 ns = random_below(10 * 3600 * NSEC_PER_SEC);
			struct cfqx_entity *any = &entities[random_below(nr)];
			unsigned int weight;

			cfqx_entity_charge(any, random_chance(20) ? -ns : ns);
			weight = random_magnitude(1, CFQX_WEIGHT_SCALE);
			if (random_chance(1))
				cfqx_entity_set_weight(any, weight);
			expect(cfqx_tree_select(&tree), "nobody is chosen");
			cfqx_entity_end_slice(tree.active);
		}
		expect(tree.vtime == average(entities, sizeof(entities[0]), nr),
		       "vtime is not the average");
	}
	for (i = nr; --i;)
		cfqx_entity_dequeue(&entities[i]);
	expect(tree.vtime == entities[0].vdisktime, "something is left over");
	expect(check_order(&tree) == 1, "more than one is left");
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
	TEST("ten thousand groups charged for hours keep the average exact",
	     test_extremes),
	TEST("of many equal ones each is served once", test_many),
	{ }
};

const struct unit_suite tree_suite = { "tree", tests };
