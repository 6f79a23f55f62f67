/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Service trees: who gets the device next, by weighted device time.
 *
 * An entity is anything that is given device time by weight: a cgroup, the
 * tasks of a cgroup taken together, the seeky queues of a group, one queue.
 * A service tree orders the entities that compete with each other by the
 * time they had divided by their weight (their vdisktime).  An entity may
 * have a tree of its own (@sub): then the time it gets is divided again among
 * the entities of that tree.  So a share depends on siblings only.
 *
 *	root tree ── tasks of the root cgroup ── queues
 *	         └── cgroup A ── tasks of A ── queues
 *	                     └── cgroup A/B ── tasks of A/B ── queues
 *
 * Locking: none of its own.  All calls need cfqx_data.lock (userspace tests
 * are single threaded).  No allocation, no sleeping, no clock.
 */
#ifndef CFQX_SERVICE_TREE_H
#define CFQX_SERVICE_TREE_H

#include <linux/rbtree.h>
#include <linux/types.h>

/* vdisktime advances by one per nanosecond at this weight. */
#define CFQX_WEIGHT_SCALE	10000U

struct cfqx_service_tree;

/**
 * struct cfqx_entity - something that is given device time by weight
 * @node: place in @tree while @queued
 * @tree: the tree it competes in; changes only while not @queued
 * @sub: the tree its time is divided in, NULL for a queue
 * @vdisktime: device time had, divided by weight
 * @left: @tree's served (ns) when it last ran dry
 * @slice: device time (ns) it keeps the device once chosen; a tunable
 * @slice_used: device time (ns) charged since it was last chosen
 * @weight: 1 .. CFQX_WEIGHT_SCALE
 * @queued: is in @tree
 */
struct cfqx_entity {
	struct rb_node node;
	struct cfqx_service_tree *tree;
	struct cfqx_service_tree *sub;

	u64 vdisktime;
	u64 left;
	const u64 *slice;
	s64 slice_used;

	unsigned int weight;
	bool queued;
};

/**
 * struct cfqx_service_tree - entities that compete with each other
 * @root: the queued entities, least vdisktime first
 * @owner: the entity whose time is divided here, NULL at the top
 * @active: the entity chosen last, while it stays queued
 * @min_vdisktime: what everybody queued had at least; never goes back
 * @served: device time (ns) charged to all who compete here
 * @nr_queued: number of entities in @root
 */
struct cfqx_service_tree {
	struct rb_root_cached root;
	struct cfqx_entity *owner;
	struct cfqx_entity *active;
	u64 min_vdisktime;
	u64 served;
	unsigned int nr_queued;
};

void cfqx_tree_init(struct cfqx_service_tree *tree, struct cfqx_entity *owner);
void cfqx_entity_init(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree, unsigned int weight,
		      const u64 *slice);
void cfqx_entity_move(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree);

void cfqx_entity_enqueue(struct cfqx_entity *leaf, u64 max_lag);
void cfqx_entity_dequeue(struct cfqx_entity *leaf);
void cfqx_entity_charge(struct cfqx_entity *leaf, s64 ns);
void cfqx_entity_end_slice(struct cfqx_entity *entity);

struct cfqx_entity *cfqx_tree_select(struct cfqx_service_tree *tree);

u64 cfqx_vdisktime(u64 ns, unsigned int weight);

#endif /* CFQX_SERVICE_TREE_H */
