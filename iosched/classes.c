// SPDX-License-Identifier: GPL-2.0
/*
 * I/O priority classes: real-time, best-effort and idle queues of a group.
 *
 * Priorities count inside a group; between groups there are weights.  While a
 * real-time queue of the group has work no other is served.  The idle class is
 * an entity of little weight beside best-effort: it is last, but a file system's
 * lock that one of its tasks holds is not held for ever.
 *
 * Within a class a level from 0 to 7 makes slices longer or shorter, and they
 * are what a queue weighs.  Write-back is best-effort, at the level that is the
 * default: it is submitted by kernel threads, whose priority means nothing.
 *
 * Locking: cfqx_data.lock.
 */
#include <linux/ioprio.h>

#include "cfqx.h"

/* Two per cent for the idle class. */
#define IDLE_WEIGHT		(CFQX_WEIGHT_SCALE / 50)

/* Which level slice_sync and slice_async are the slices of. */
#define LEVEL_DEFAULT		4

/**
 * cfqx_priority - what an I/O priority of the kernel's means here
 * @ioprio: of a bio or request
 *
 * Return: one for each class and level; none set is best-effort, level 4.
 */
struct cfqx_priority cfqx_priority(unsigned short ioprio)
{
	unsigned int level = ioprio & (CFQX_NR_LEVELS - 1);

	switch (IOPRIO_PRIO_CLASS(ioprio)) {
	case IOPRIO_CLASS_RT:
		return (struct cfqx_priority){ CFQX_RT, level };
	case IOPRIO_CLASS_BE:
		return (struct cfqx_priority){ CFQX_BE, level };
	case IOPRIO_CLASS_IDLE:
		return (struct cfqx_priority){ CFQX_IDLE, CFQX_NR_LEVELS - 1 };
	}
	return (struct cfqx_priority){ CFQX_BE, LEVEL_DEFAULT };
}

/**
 * cfqx_level_slices - the slices of all levels
 * @base: slice of the default level (ns)
 * @longest: that no slice is longer than (ns)
 * @slice: where they are put: from 9/5 of @base at level 0 to 2/5 at level 7
 */
void cfqx_level_slices(u64 base, u64 longest, u64 slice[CFQX_NR_LEVELS])
{
	unsigned int level;

	for (level = 0; level < CFQX_NR_LEVELS; level++)
		WRITE_ONCE(slice[level],
			   min(div_u64(base * (5 + LEVEL_DEFAULT - level), 5),
			       longest));
}

/**
 * cfqx_classes_init - a group's classes, without queues
 * @group: the group, whose tasks are on a tree
 *
 * Context: cfqd->lock held.
 */
void cfqx_classes_init(struct cfqx_group *group)
{
	const struct cfqx_tunables *t = &group->cfqd->tunables;
	unsigned int i;

	cfqx_tree_init(&group->classes, &group->tasks);
	for (i = 0; i < CFQX_NR_CLASSES; i++) {
		struct cfqx_class *class = &group->class[i];
		bool idle = i == CFQX_IDLE;

		cfqx_entity_init(&class->entity, &group->classes,
				 idle ? IDLE_WEIGHT :
					CFQX_WEIGHT_SCALE - IDLE_WEIGHT,
				 idle ? &t->slice_sync : &group->tasks_turn);
		class->entity.role = CFQX_ROLE_CLASS;
		cfqx_tree_init(&class->queues, &class->entity);
		cfqx_entity_init(&class->noidle, &class->queues, 1,
				 &t->slice_sync);
		class->noidle.role = CFQX_ROLE_NOIDLE;
		cfqx_tree_init(&class->noidle_queues, &class->noidle);
	}
	group->classes.first = &group->class[CFQX_RT].entity;
}

/**
 * cfqx_class_update - a seeky queue came or went
 * @class: its class
 *
 * All of them together weigh what each would by itself.
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_class_update(struct cfqx_class *class)
{
	if (class->noidle_queues.nr_queued)
		cfqx_entity_set_weight(&class->noidle,
				       clamp_t(s64,
					       class->noidle_queues.weight, 1,
					       CFQX_WEIGHT_SCALE));
}

/**
 * cfqx_class_of - where a queue is served
 * @cfqd: the device
 * @queue: the queue
 *
 * Context: cfqd->lock held.
 */
struct cfqx_class *cfqx_class_of(struct cfqx_data *cfqd,
				 struct cfqx_queue *queue)
{
	return &cfqx_queue_home(cfqd, queue)->class[queue->priority.class];
}
