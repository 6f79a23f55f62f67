/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Service trees: who gets the device next, by weighted device time.
 *
 * An entity is anything that is given device time by weight: a cgroup, the
 * tasks of a cgroup taken together, the seeky queues of a group, one queue.
 * Entities that compete with each other are in one service tree.  An entity may
 * have a tree of its own (@sub): then the time it gets is divided again among
 * the entities of that tree.  So a share depends on siblings only.
 *
 *	root tree ── tasks of the root cgroup ── queues
 *	         └── cgroup A ── tasks of A ── queues
 *	                     └── cgroup A/B ── tasks of A/B ── queues
 *
 * What an entity had, divided by its weight, is its vdisktime v.  The average
 * of v over the queued entities, each counted by its weight, is the tree's
 * time V: where all would be had every nanosecond been divided among them.
 * Who is not ahead of V is eligible.  Of those the one is chosen whose next
 * slice would have to be over first: whose deadline, v + slice / weight, is
 * least.  It keeps the device for a slice; for less if it is write-back, and
 * somebody waits for another queue that is due.
 *
 * Example.  A weighs 900, B and C 50 each, slices are 100 ms; times in units
 * of a slice at the weight of all three.  A's slice is worth 1.11, those of B
 * and C 20, and every slice moves V by 1.  All begin at 0.
 *
 *	V = 0	deadlines: A 1.11, B 20, C 20		A runs, to 1.11
 *	V = 1	A is ahead				B runs, to 20
 *	V = 2	A is due at 2.22, C at 20		A runs, to 2.22
 *	...	A is not ahead until it had 10 slices	A runs, to 11.11
 *	V = 11	A is ahead				C runs, to 20
 *	V = 12	A is due at 12.22, the others are ahead	A runs, and goes on
 *	V = 20	A is at 20 as well			all over again
 *
 * So a light entity's long slice delays a heavy one once, and it comes in
 * between.  If just the least v was chosen, B and C, and any number of their
 * kind, would have their slices in a row.
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

/* A choice changes at most so many levels that are told of. */
#define CFQX_CHANGES	16

struct cfqx_service_tree;

/* Why a slice ended in a choice. */
enum cfqx_slice_end {
	CFQX_END_USED,		/* it was used up */
	CFQX_END_DUE,		/* somebody who is waited for is due */
	CFQX_END_FIRST,		/* who is always first has work */
};

/**
 * struct cfqx_changes - what a choice changed, topmost tree first
 * @nr: how many levels; those that do not fit in are left out
 * @change: a level
 * @change.ended: whose slice ended, NULL if nobody had one
 * @change.used: device time (ns) it was charged
 * @change.end: why it ended
 * @change.begun: whose slice begins; may be the same
 */
struct cfqx_changes {
	unsigned int nr;
	struct {
		struct cfqx_entity *ended;
		s64 used;
		enum cfqx_slice_end end;
		struct cfqx_entity *begun;
	} change[CFQX_CHANGES];
};

/**
 * struct cfqx_entity - something that is given device time by weight
 * @node: place in @tree while @queued
 * @tree: the tree it competes in; changes only while not @queued
 * @sub: the tree its time is divided in, NULL for a queue
 * @vdisktime: device time had, divided by weight; changes out of @tree only
 * @deadline: vdisktime after one more slice, as long as slices were at the time
 * @earliest: least deadline of the part of @tree that begins at @node
 * @slice: device time (ns) it keeps the device once chosen; a tunable
 * @slice_used: device time (ns) charged since it was last chosen
 * @weight: 1 .. CFQX_WEIGHT_SCALE; see cfqx_entity_set_weight()
 * @queued: is in @tree
 * @urgent: a queue that somebody waits for; changes only while not @queued
 * @role: what it is, to whoever made it
 * @whole: its slice is not cut short for an urgent one
 */
struct cfqx_entity {
	struct rb_node node;
	struct cfqx_service_tree *tree;
	struct cfqx_service_tree *sub;

	u64 vdisktime;
	u64 deadline;
	u64 earliest;
	const u64 *slice;
	s64 slice_used;

	unsigned int weight;
	bool queued;
	bool urgent;
	u8 role;
	bool whole;
};

/**
 * struct cfqx_service_tree - entities that compete with each other
 * @root: the queued entities, least vdisktime first
 * @owner: the entity whose time is divided here, NULL at the top
 * @active: the entity chosen last, while it stays queued
 * @first: chosen whenever it is queued, whatever it had; or NULL
 * @vtime: average vdisktime of the queued entities by weight, rounded down;
 *	where it was last while there are none
 * @rest: what rounding left, times @weight: 0 .. @weight - 1
 * @weight: sum of the weights of the queued entities
 * @nr_queued: number of entities in @root
 * @nr_urgent: number of urgent queues in this tree and those below it
 */
struct cfqx_service_tree {
	struct rb_root root;
	struct cfqx_entity *owner;
	struct cfqx_entity *active;
	struct cfqx_entity *first;
	u64 vtime;
	s64 rest;
	s64 weight;
	unsigned int nr_queued;
	unsigned int nr_urgent;
};

void cfqx_tree_init(struct cfqx_service_tree *tree, struct cfqx_entity *owner);
void cfqx_entity_init(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree, unsigned int weight,
		      const u64 *slice);
void cfqx_entity_move(struct cfqx_entity *entity,
		      struct cfqx_service_tree *tree);
void cfqx_entity_set_weight(struct cfqx_entity *entity, unsigned int weight);

struct cfqx_entity *cfqx_entity_enqueue(struct cfqx_entity *leaf, u64 max_lag);
void cfqx_entity_dequeue(struct cfqx_entity *leaf);
void cfqx_entity_charge(struct cfqx_entity *leaf, s64 ns);
void cfqx_entity_end_slice(struct cfqx_entity *entity);
bool cfqx_entity_give_way(struct cfqx_entity *served);

struct cfqx_entity *cfqx_tree_select(struct cfqx_service_tree *tree);
struct cfqx_entity *cfqx_tree_select_changes(struct cfqx_service_tree *tree,
					     struct cfqx_changes *changes);

u64 cfqx_vdisktime(u64 ns, unsigned int weight);

#endif /* CFQX_SERVICE_TREE_H */
