// SPDX-License-Identifier: GPL-2.0
/*
 * Service trees: order, lag, slices.  See service_tree.h for the model.
 *
 * V is kept as it is defined, by what each entity that comes, goes or is charged
 * adds to the sum or takes from it.  It is exact: what rounding leaves is kept
 * as well.  Thus somebody queued is always eligible, and nobody's lag (V - v,
 * times weight) gets lost in a rounding error.  V may go back, when somebody
 * leaves who was ahead or comes who is behind.
 *
 * The tree is in the order of v, so the eligible are to the left.  Each node
 * knows the least deadline below it, so the choice is O(log n).
 *
 * Lag.  An entity that runs dry keeps its v.  When it comes back it may be
 * behind by at most max_lag of its own service: so a short gap costs it
 * nothing, and a long sleep does not let it own the device later.  That counts
 * from V with the entity in it, as its lag does while it stays; an entity that
 * weighs as much as all others moves V half the way to itself.  One that had
 * too much stays ahead until the others caught up, but never more than
 * CFQX_MAX_LEAD of its own service, so that a charge made while it was away
 * cannot starve it.
 *
 * Slices.  A chosen entity stays chosen until its slice is charged, at every
 * level on its own: a disk that seeks needs runs of one locality.  What it had
 * too much then puts it ahead of V by as much.  The length of a slice may
 * change at any time; a deadline holds until the next charge.  While somebody
 * waits for another queue of a tree, a slice that nobody waits for ends earlier:
 * once it was long enough to be worth its seek, and the other one is due.
 *
 * Locking: cfqx_data.lock, see service_tree.h.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/rbtree_augmented.h>

#include "service_tree.h"

/* How far ahead an entity may come back (ns of its own service). */
#define CFQX_MAX_LEAD	2000000000ULL

static inline struct cfqx_entity *entity_of(struct rb_node *node)
{
	return rb_entry(node, struct cfqx_entity, node);
}

static inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* Find the least deadline from @entity down.  Return: whether to stop here. */
static inline bool entity_update_earliest(struct cfqx_entity *entity,
					  bool may_stop)
{
	struct rb_node *left = entity->node.rb_left;
	struct rb_node *right = entity->node.rb_right;
	u64 earliest = entity->deadline;

	if (left && before(entity_of(left)->earliest, earliest))
		earliest = entity_of(left)->earliest;
	if (right && before(entity_of(right)->earliest, earliest))
		earliest = entity_of(right)->earliest;
	if (may_stop && entity->earliest == earliest)
		return true;
	entity->earliest = earliest;
	return false;
}

RB_DECLARE_CALLBACKS(static, earliest_callbacks, struct cfqx_entity, node,
		     earliest, entity_update_earliest);

/**
 * cfqx_vdisktime - device time to vdisktime
 * @ns: device time in nanoseconds
 * @weight: the weight it is divided by, 1 .. CFQX_WEIGHT_SCALE
 *
 * Context: any.
 * Return: the vdisktime that @ns stands for.
 */
u64 cfqx_vdisktime(u64 ns, unsigned int weight)
{
	return div_u64(ns * CFQX_WEIGHT_SCALE, weight);
}

/**
 * cfqx_tree_init - an empty tree
 * @tree: the tree
 * @owner: the entity whose time it divides, or NULL for the topmost tree
 */
void cfqx_tree_init(struct cfqx_service_tree *tree, struct cfqx_entity *owner)
{
	tree->root = RB_ROOT;
	tree->owner = owner;
	tree->active = NULL;
	tree->first = NULL;
	tree->vtime = 0;
	tree->rest = 0;
	tree->weight = 0;
	tree->nr_queued = 0;
	tree->nr_urgent = 0;
	if (owner)
		owner->sub = tree;
}

/**
 * cfqx_entity_init - an entity that had its share so far
 * @entity: the entity
 * @tree: where it will compete
 * @weight: its weight
 * @slice: how long (ns) it keeps the device once chosen; read when it matters
 */
void cfqx_entity_init(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree, unsigned int weight,
		      const u64 *slice)
{
	RB_CLEAR_NODE(&entity->node);
	entity->tree = tree;
	entity->sub = NULL;
	entity->vdisktime = tree ? tree->vtime : 0;
	entity->deadline = entity->vdisktime;
	entity->earliest = entity->vdisktime;
	entity->slice = slice;
	entity->slice_used = 0;
	entity->weight = weight;
	entity->queued = false;
	entity->urgent = false;
	entity->role = 0;
	entity->whole = false;
}

/**
 * cfqx_entity_move - let an entity compete elsewhere
 * @entity: the entity, not queued
 * @tree: its new tree
 *
 * The lag of another tree means nothing here, so it starts level.
 */
void cfqx_entity_move(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree)
{
	if (entity->tree == tree)
		return;
	entity->tree = tree;
	entity->vdisktime = tree->vtime;
}

/*
 * Move V by @v times @weight over the weight of all.  The product may not fit
 * in 64 bits, what is moved does: it is no more than somebody's distance.
 */
static void tree_move_vtime(struct cfqx_service_tree *tree, s64 v,
			    unsigned int weight)
{
	s64 quotient;

	if (!tree->weight)
		return;
	quotient = div64_s64(v, tree->weight);
	tree->vtime += quotient * weight;
	tree->rest += (v - quotient * tree->weight) * weight;
	quotient = div64_s64(tree->rest, tree->weight);
	tree->rest -= quotient * tree->weight;
	if (tree->rest < 0) {
		tree->rest += tree->weight;
		quotient--;
	}
	tree->vtime += quotient;
}

/* Behind its equals: who came first is served first. */
static void tree_insert(struct cfqx_service_tree *tree,
			struct cfqx_entity *entity)
{
	struct rb_node **link = &tree->root.rb_node;
	struct rb_node *parent = NULL;

	entity->deadline = entity->vdisktime +
			   cfqx_vdisktime(*entity->slice, entity->weight);
	entity->earliest = entity->deadline;
	while (*link) {
		struct cfqx_entity *above = entity_of(*link);

		if (before(entity->deadline, above->earliest))
			above->earliest = entity->deadline;
		parent = *link;
		if (before(entity->vdisktime, above->vdisktime))
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&entity->node, parent, link);
	rb_insert_augmented(&entity->node, &tree->root, &earliest_callbacks);
	tree->weight += entity->weight;
	tree_move_vtime(tree, entity->vdisktime - tree->vtime, entity->weight);
}

static void tree_erase(struct cfqx_service_tree *tree,
		       struct cfqx_entity *entity)
{
	rb_erase_augmented(&entity->node, &tree->root, &earliest_callbacks);
	RB_CLEAR_NODE(&entity->node);
	tree->weight -= entity->weight;
	tree_move_vtime(tree, tree->vtime - entity->vdisktime, entity->weight);
}

/* Bring how far @entity is behind V into limits, @max_lag in vdisktime. */
static s64 entity_limit_lag(struct cfqx_entity *entity, u64 max_lag)
{
	s64 lead = cfqx_vdisktime(CFQX_MAX_LEAD, entity->weight);
	s64 lag = entity->tree->vtime - entity->vdisktime;

	return clamp(lag, -lead, (s64)max_lag);
}

static void entity_place(struct cfqx_entity *entity, u64 max_lag)
{
	struct cfqx_service_tree *tree = entity->tree;
	u64 v = cfqx_vdisktime(max_lag, entity->weight);

	/* So far does V come to meet it. */
	if (tree->weight)
		v += div64_u64(max_lag * CFQX_WEIGHT_SCALE, tree->weight);
	entity->vdisktime = tree->vtime - entity_limit_lag(entity, v);
}

/**
 * cfqx_entity_set_weight - change an entity's weight
 * @entity: the entity, queued or not
 * @weight: its new weight; counts for device time from now on
 *
 * What it is owed or owes, in device time, stays what it was: else what a light
 * entity had too much would starve it for minutes once it is a heavy one.
 */
void cfqx_entity_set_weight(struct cfqx_entity *entity, unsigned int weight)
{
	struct cfqx_service_tree *tree = entity->tree;
	unsigned int old = entity->weight;
	u64 v = entity->vdisktime;
	s64 lag;

	if (weight == old)
		return;
	if (tree) {
		lag = entity_limit_lag(entity,
				       cfqx_vdisktime(CFQX_MAX_LEAD, old));
		v = tree->vtime - div_s64(lag * old, weight);
	}
	if (entity->queued)
		tree_erase(tree, entity);
	entity->vdisktime = v;
	entity->weight = weight;
	if (entity->queued)
		tree_insert(tree, entity);
}

/* Count an urgent queue in all trees that it is in, or not any more. */
static void count_urgent(struct cfqx_entity *leaf, int by)
{
	struct cfqx_entity *entity;

	if (!leaf->urgent)
		return;
	for (entity = leaf; entity; entity = entity->tree->owner)
		entity->tree->nr_urgent += by;
}

/**
 * cfqx_entity_enqueue - an entity has work again
 * @leaf: the entity, and with it everything above it
 * @max_lag: how much service (ns) it may be owed from before
 *
 * Does nothing if it is queued already.
 *
 * Return: the topmost one above it that has work again too, or itself; NULL if it
 * was queued already.
 */
struct cfqx_entity *cfqx_entity_enqueue(struct cfqx_entity *leaf, u64 max_lag)
{
	struct cfqx_entity *entity = leaf, *top = NULL;

	if (!leaf->queued)
		count_urgent(leaf, 1);
	while (entity && !entity->queued) {
		struct cfqx_service_tree *tree = entity->tree;

		entity_place(entity, max_lag);
		tree_insert(tree, entity);
		entity->queued = true;
		tree->nr_queued++;
		top = entity;
		entity = tree->owner;
	}
	return top;
}

/**
 * cfqx_entity_dequeue - an entity ran dry
 * @leaf: the entity; whoever has nothing left but it leaves too
 */
void cfqx_entity_dequeue(struct cfqx_entity *leaf)
{
	struct cfqx_entity *entity = leaf;

	if (leaf->queued)
		count_urgent(leaf, -1);
	while (entity && entity->queued) {
		struct cfqx_service_tree *tree = entity->tree;

		tree_erase(tree, entity);
		entity->queued = false;
		tree->nr_queued--;
		if (tree->active == entity)
			tree->active = NULL;
		if (tree->nr_queued)
			break;
		entity = tree->owner;
	}
}

/**
 * cfqx_entity_charge - an entity used the device
 * @leaf: who used it; everything above it is charged as well
 * @ns: device time; negative to take back an estimate
 */
void cfqx_entity_charge(struct cfqx_entity *leaf, s64 ns)
{
	struct cfqx_entity *entity;

	for (entity = leaf; entity; entity = entity->tree->owner) {
		u64 v = cfqx_vdisktime(ns < 0 ? -ns : ns, entity->weight);

		entity->slice_used += ns;
		if (entity->queued)
			tree_erase(entity->tree, entity);
		entity->vdisktime += ns < 0 ? -v : v;
		if (entity->queued)
			tree_insert(entity->tree, entity);
	}
}

/**
 * cfqx_entity_end_slice - choose anew at the next selection
 * @entity: whose slice ends, in its own tree only
 */
void cfqx_entity_end_slice(struct cfqx_entity *entity)
{
	if (entity->tree->active == entity)
		entity->tree->active = NULL;
}

/**
 * cfqx_entity_give_way - end slices that are mostly over
 * @served: who is served; what is above it gives way as well
 *
 * Return: true if a slice ended where there is somebody else, so that the next
 * selection may choose another.
 */
bool cfqx_entity_give_way(struct cfqx_entity *served)
{
	struct cfqx_entity *entity;
	bool ended = false;

	for (entity = served; entity; entity = entity->tree->owner) {
		struct cfqx_service_tree *tree = entity->tree;

		if (tree->active != entity || tree->nr_queued < 2 ||
		    entity->slice_used * 5 < (s64)*entity->slice * 3)
			continue;
		tree->active = NULL;
		ended = true;
	}
	return ended;
}

/* The first one with deadline @earliest, which is the least from @node down. */
static struct cfqx_entity *entity_due(struct rb_node *node, u64 earliest)
{
	for (;;) {
		struct rb_node *left = node->rb_left;

		if (left && entity_of(left)->earliest == earliest) {
			node = left;
			continue;
		}
		if (entity_of(node)->deadline == earliest)
			return entity_of(node);
		node = node->rb_right;
	}
}

/*
 * The eligible one with the least deadline.  Whoever is left of an eligible
 * one is eligible too, so of that part only the least deadline is looked at.
 */
static struct cfqx_entity *tree_first_due(struct cfqx_service_tree *tree)
{
	struct rb_node *node = tree->root.rb_node, *part = NULL;
	u64 earliest = 0;

	while (node) {
		struct cfqx_entity *entity = entity_of(node);
		struct rb_node *left = node->rb_left;

		if (before(tree->vtime, entity->vdisktime)) {
			node = left;
			continue;
		}
		if (left && (!part ||
			     before(entity_of(left)->earliest, earliest))) {
			part = left;
			earliest = entity_of(left)->earliest;
		}
		if (!part || before(entity->deadline, earliest)) {
			part = node;
			earliest = entity->deadline;
		}
		node = node->rb_right;
	}
	return part ? entity_due(part, earliest) : NULL;
}

static bool entity_is_urgent(const struct cfqx_entity *entity)
{
	return entity->sub ? entity->sub->nr_urgent : entity->urgent;
}

/* Who may come before the slice of @active is over, or NULL. */
static struct cfqx_entity *tree_urgent(struct cfqx_service_tree *tree,
				       const struct cfqx_entity *active)
{
	struct cfqx_entity *due;

	if (!tree->nr_urgent || active->whole || entity_is_urgent(active) ||
	    active->slice_used * 5 < (s64)*active->slice * 2)
		return NULL;
	due = tree_first_due(tree);
	return due != active && entity_is_urgent(due) ? due : NULL;
}

static bool slice_is_over(const struct cfqx_entity *entity)
{
	return entity->slice_used >= (s64)*entity->slice;
}

static void note_change(struct cfqx_changes *changes, struct cfqx_entity *ended,
			enum cfqx_slice_end end, struct cfqx_entity *begun)
{
	unsigned int i = changes->nr;

	if (i == CFQX_CHANGES)
		return;
	changes->change[i].ended = ended;
	changes->change[i].used = ended ? ended->slice_used : 0;
	changes->change[i].end = end;
	changes->change[i].begun = begun;
	changes->nr++;
}

static struct cfqx_entity *tree_choose(struct cfqx_service_tree *tree,
				       struct cfqx_changes *changes)
{
	struct cfqx_entity *active = tree->active;
	enum cfqx_slice_end end = CFQX_END_USED;
	struct cfqx_entity *entity = NULL;

	if (tree->first && tree->first->queued) {
		entity = tree->first;
		if (entity != active)
			end = CFQX_END_FIRST;
	} else if (active && !slice_is_over(active)) {
		entity = tree_urgent(tree, active);
		if (!entity)
			return active;
		end = CFQX_END_DUE;
	} else {
		entity = tree_first_due(tree);
	}
	if (entity && (entity != active || slice_is_over(entity))) {
		if (changes)
			note_change(changes, active, end, entity);
		entity->slice_used = 0;
	}
	tree->active = entity;
	return entity;
}

/**
 * cfqx_tree_select - who is to be served now
 * @tree: the topmost tree
 *
 * Return: the chosen entity without a tree of its own, or NULL if nobody has
 * work.  Slices that are used up end here.
 */
struct cfqx_entity *cfqx_tree_select(struct cfqx_service_tree *tree)
{
	return cfqx_tree_select_changes(tree, NULL);
}

/**
 * cfqx_tree_select_changes - who is to be served now, and what that changes
 * @tree: the topmost tree
 * @changes: where slices that end and begin are added, or NULL
 *
 * Return: as cfqx_tree_select().
 */
struct cfqx_entity *cfqx_tree_select_changes(struct cfqx_service_tree *tree,
					     struct cfqx_changes *changes)
{
	struct cfqx_entity *entity = NULL;

	while (tree) {
		entity = tree_choose(tree, changes);
		if (!entity)
			return NULL;
		tree = entity->sub;
	}
	return entity;
}
