// SPDX-License-Identifier: GPL-2.0
/*
 * Service trees: order, lag, slices.  See service_tree.h for the model.
 *
 * Lag.  An entity that runs dry keeps its vdisktime.  When it comes back and
 * is behind the others, it may stay behind by at most max_lag of its own
 * service: so a long sleep does not let it own the device later.  If it was
 * away for a short gap only, less than max_lag of the time its tree was served,
 * it may in addition be behind by max_lag of the service of the first of the
 * others.  For that is how far it can be behind if it stays, while another one
 * uses its slice; to a heavy entity beside a light one it is many slices, and
 * the gap is to cost it nothing.  An entity that had too much stays ahead
 * until the others caught up, but never more than CFQX_MAX_LEAD of its own
 * service, so that a charge made while it was away cannot starve it.
 *
 * Slices.  A chosen entity stays chosen until its slice is charged, at every
 * level on its own: a disk that seeks needs runs of one locality.  The order
 * of the tree makes up for what a slice took too much.
 *
 * Locking: cfqx_data.lock, see service_tree.h.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "service_tree.h"

/* How far ahead of its siblings an entity may come back (ns of service). */
#define CFQX_MAX_LEAD	2000000000ULL

static inline struct cfqx_entity *entity_of(struct rb_node *node)
{
	return rb_entry(node, struct cfqx_entity, node);
}

static inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

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
	tree->root = RB_ROOT_CACHED;
	tree->owner = owner;
	tree->active = NULL;
	tree->min_vdisktime = 0;
	tree->served = 0;
	tree->nr_queued = 0;
	if (owner)
		owner->sub = tree;
}

/**
 * cfqx_entity_init - an entity that had its share so far
 * @entity: the entity
 * @tree: where it will compete
 * @weight: its weight
 * @slice: how long (ns) it keeps the device once chosen; read at each choice
 */
void cfqx_entity_init(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree, unsigned int weight,
		      const u64 *slice)
{
	RB_CLEAR_NODE(&entity->node);
	entity->tree = tree;
	entity->sub = NULL;
	entity->vdisktime = tree ? tree->min_vdisktime : 0;
	entity->left = tree ? tree->served : 0;
	entity->slice = slice;
	entity->slice_used = 0;
	entity->weight = weight;
	entity->queued = false;
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
	entity->vdisktime = tree->min_vdisktime;
	entity->left = tree->served;
}

static void tree_insert(struct cfqx_service_tree *tree,
			struct cfqx_entity *entity)
{
	struct rb_node **link = &tree->root.rb_root.rb_node;
	struct rb_node *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (before(entity->vdisktime, entity_of(parent)->vdisktime)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&entity->node, parent, link);
	rb_insert_color_cached(&entity->node, &tree->root, leftmost);
}

static void tree_update_min(struct cfqx_service_tree *tree)
{
	struct rb_node *first = rb_first_cached(&tree->root);

	if (first && before(tree->min_vdisktime, entity_of(first)->vdisktime))
		tree->min_vdisktime = entity_of(first)->vdisktime;
}

static void entity_place(struct cfqx_entity *entity, u64 max_lag)
{
	struct cfqx_service_tree *tree = entity->tree;
	struct rb_node *first = rb_first_cached(&tree->root);
	u64 min = tree->min_vdisktime;
	u64 floor = min - cfqx_vdisktime(max_lag, entity->weight);
	u64 ceiling = min + cfqx_vdisktime(CFQX_MAX_LEAD, entity->weight);

	if (first && (s64)(tree->served - entity->left) <= (s64)max_lag)
		floor -= cfqx_vdisktime(max_lag, entity_of(first)->weight);
	if (before(entity->vdisktime, floor))
		entity->vdisktime = floor;
	else if (before(ceiling, entity->vdisktime))
		entity->vdisktime = ceiling;
}

/**
 * cfqx_entity_enqueue - an entity has work again
 * @leaf: the entity, and with it everything above it
 * @max_lag: how much service (ns) it may be owed from before
 *
 * Does nothing if it is queued already.
 */
void cfqx_entity_enqueue(struct cfqx_entity *leaf, u64 max_lag)
{
	struct cfqx_entity *entity = leaf;

	while (entity && !entity->queued) {
		struct cfqx_service_tree *tree = entity->tree;

		entity_place(entity, max_lag);
		tree_insert(tree, entity);
		entity->queued = true;
		tree->nr_queued++;
		tree_update_min(tree);
		entity = tree->owner;
	}
}

/**
 * cfqx_entity_dequeue - an entity ran dry
 * @leaf: the entity; whoever has nothing left but it leaves too
 */
void cfqx_entity_dequeue(struct cfqx_entity *leaf)
{
	struct cfqx_entity *entity = leaf;

	while (entity && entity->queued) {
		struct cfqx_service_tree *tree = entity->tree;

		rb_erase_cached(&entity->node, &tree->root);
		RB_CLEAR_NODE(&entity->node);
		entity->queued = false;
		entity->left = tree->served;
		tree->nr_queued--;
		if (tree->active == entity)
			tree->active = NULL;
		tree_update_min(tree);
		if (tree->nr_queued)
			break;
		entity = tree->owner;
	}
}

/* Keep the tree ordered after @entity's vdisktime changed. */
static void tree_reposition(struct cfqx_service_tree *tree,
			    struct cfqx_entity *entity)
{
	struct rb_node *next = rb_next(&entity->node);
	struct rb_node *prev = rb_prev(&entity->node);

	if ((!next || !before(entity_of(next)->vdisktime, entity->vdisktime)) &&
	    (!prev || !before(entity->vdisktime, entity_of(prev)->vdisktime)))
		return;
	rb_erase_cached(&entity->node, &tree->root);
	tree_insert(tree, entity);
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

		entity->vdisktime += ns < 0 ? -v : v;
		entity->slice_used += ns;
		entity->tree->served += ns;
		if (entity->queued) {
			tree_reposition(entity->tree, entity);
			tree_update_min(entity->tree);
		}
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

static struct cfqx_entity *tree_choose(struct cfqx_service_tree *tree)
{
	struct cfqx_entity *entity = tree->active;
	struct rb_node *first;

	if (entity && entity->slice_used < (s64)*entity->slice)
		return entity;
	first = rb_first_cached(&tree->root);
	if (!first)
		return NULL;
	entity = entity_of(first);
	entity->slice_used = 0;
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
	struct cfqx_entity *entity = NULL;

	while (tree) {
		entity = tree_choose(tree);
		if (!entity)
			return NULL;
		tree = entity->sub;
	}
	return entity;
}
