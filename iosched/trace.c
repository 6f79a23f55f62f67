// SPDX-License-Identifier: GPL-2.0
/*
 * Trace: notes in the blktrace stream that take more than a line to make:
 * whose slice ended and why, who came on a service tree and who left it.
 * Documentation/trace.rst lists them all.
 *
 * Nothing here is called unless somebody listens.
 *
 * Locking: cfqx_data.lock.
 */
#include "cfqx.h"

static const char *const workload_name[] = {
	[CFQX_SYNC]		= "sync",
	[CFQX_SYNC_NOIDLE]	= "sync-noidle",
	[CFQX_ASYNC]		= "async",
};

static const char *const role_name[] = {
	[CFQX_ROLE_QUEUE]	= "",
	[CFQX_ROLE_NOIDLE]	= "noidle ",
	[CFQX_ROLE_CLASS]	= "class ",
	[CFQX_ROLE_TASKS]	= "tasks ",
	[CFQX_ROLE_GROUP]	= "",
};

static const char *const end_name[] = {
	[CFQX_END_USED]		= "used up",
	[CFQX_END_DUE]		= "other is due",
	[CFQX_END_FIRST]	= "higher class",
};

/**
 * cfqx_workload_name - in words
 * @workload: see there
 */
const char *cfqx_workload_name(enum cfqx_workload workload)
{
	return workload_name[workload];
}

/**
 * cfqx_entity_queue - which queue an entity is
 * @entity: the entity
 *
 * Return: NULL if it is something else.
 */
struct cfqx_queue *cfqx_entity_queue(struct cfqx_entity *entity)
{
	if (entity->role != CFQX_ROLE_QUEUE)
		return NULL;
	return container_of(entity, struct cfqx_queue, entity);
}

/* The class whose tree of queues @entity is in. */
static struct cfqx_class *class_above(struct cfqx_entity *entity)
{
	return container_of(entity->tree, struct cfqx_class, queues);
}

/**
 * cfqx_entity_group - which group an entity is of
 * @entity: the entity
 */
struct cfqx_group *cfqx_entity_group(struct cfqx_entity *entity)
{
	switch (entity->role) {
	case CFQX_ROLE_GROUP:
		return container_of(entity, struct cfqx_group, entity);
	case CFQX_ROLE_TASKS:
		return container_of(entity, struct cfqx_group, tasks);
	case CFQX_ROLE_NOIDLE:
		entity = &class_above(entity)->entity;
		fallthrough;
	case CFQX_ROLE_CLASS:
		return container_of(entity->tree, struct cfqx_group, classes);
	}
	return container_of(entity, struct cfqx_queue, entity)->group;
}

/* A note of an entity: of a queue, or of a group, then with what of it. */
#define trace_entity(cfqd, e, fmt, ...)					\
	do {								\
		struct cfqx_queue *__queue = cfqx_entity_queue(e);	\
									\
		if (__queue)						\
			cfqx_trace_queue(cfqd, __queue, fmt,		\
					 ##__VA_ARGS__);		\
		else							\
			cfqx_trace_group(cfqd, cfqx_entity_group(e),	\
					 "%s" fmt,			\
					 role_name[(e)->role],		\
					 ##__VA_ARGS__);		\
	} while (0)

/**
 * cfqx_trace_end - a slice ended
 * @cfqd: the device
 * @entity: whose
 * @used: device time (ns) it was charged
 * @why: in words
 * @by: who comes instead, NULL if that is not known yet, or it goes on
 *
 * Of a group its cgroup's number is told, as the notes themselves have it.
 *
 * Context: cfqd->lock held, the device is traced.
 */
void cfqx_trace_end(struct cfqx_data *cfqd, struct cfqx_entity *entity,
		    s64 used, const char *why, struct cfqx_entity *by)
{
	struct cfqx_queue *queue = by ? cfqx_entity_queue(by) : NULL;

	if (!by || by == entity)
		trace_entity(cfqd, entity,
			     "slice expired: %s sl_used=%lld of %llu", why,
			     used, *entity->slice);
	else if (queue)
		trace_entity(cfqd, entity,
			     "slice expired: %s sl_used=%lld of %llu by cfqx%d%c",
			     why, used, *entity->slice, queue->pid,
			     queue->sync ? 'S' : 'A');
	else
		trace_entity(cfqd, entity,
			     "slice expired: %s sl_used=%lld of %llu by %scgroup %llu",
			     why, used, *entity->slice, role_name[by->role],
			     cgroup_id(cfqx_group_css(cfqx_entity_group(by))->cgroup));
}

static void trace_begin(struct cfqx_data *cfqd, struct cfqx_entity *entity)
{
	struct cfqx_queue *queue = cfqx_entity_queue(entity);

	if (queue)
		cfqx_trace_queue(cfqd, queue, "set_slice=%llu wl=%s",
				 *entity->slice, workload_name[queue->workload]);
	else
		trace_entity(cfqd, entity, "set_slice=%llu", *entity->slice);
}

/**
 * cfqx_trace_changes - slices that a choice ended and began
 * @cfqd: the device, with its cfqx_data.changes
 *
 * Context: cfqd->lock held, the device is traced.
 */
void cfqx_trace_changes(struct cfqx_data *cfqd)
{
	unsigned int i;

	for (i = 0; i < cfqd->changes.nr; i++) {
		struct cfqx_entity *ended = cfqd->changes.change[i].ended;
		struct cfqx_entity *begun = cfqd->changes.change[i].begun;

		if (ended)
			cfqx_trace_end(cfqd, ended,
				       cfqd->changes.change[i].used,
				       end_name[cfqd->changes.change[i].end],
				       begun);
		trace_begin(cfqd, begun);
	}
}

/**
 * cfqx_trace_gave_way - slices of groups ended where the disk has to seek
 * @cfqd: the device
 * @queue: the queue that is served, whose path was chosen just now
 *
 * Context: cfqd->lock held, the device is traced.
 */
void cfqx_trace_gave_way(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_entity *entity = &cfqx_queue_home(cfqd, queue)->tasks;

	for (; entity; entity = entity->tree->owner)
		if (entity->tree->active != entity)
			cfqx_trace_end(cfqd, entity, entity->slice_used,
				       "gave way at a jump", NULL);
}

static void trace_group_on(struct cfqx_data *cfqd, struct cfqx_entity *entity)
{
	struct cfqx_group *group = cfqx_entity_group(entity);

	cfqx_trace_group(cfqd, group, "add_to_rr weight=%u vt=%llu min_vt=%llu",
			 entity->weight, entity->vdisktime,
			 entity->tree->vtime);
}

/**
 * cfqx_trace_on_tree - a queue came on its service tree
 * @cfqd: the device
 * @queue: the queue
 * @top: the topmost entity that came with it
 *
 * Context: cfqd->lock held, the device is traced.
 */
void cfqx_trace_on_tree(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			struct cfqx_entity *top)
{
	struct cfqx_entity *entity = &queue->entity;

	while (entity != top) {
		entity = entity->tree->owner;
		if (entity->role == CFQX_ROLE_GROUP)
			trace_group_on(cfqd, entity);
	}
	cfqx_trace_queue(cfqd, queue, "add_to_rr wl=%s prio=%d/%d",
			 workload_name[queue->workload], queue->priority.class,
			 queue->priority.level);
}

static const char *why_off(const struct cfqx_queue *queue)
{
	if (queue->nr_queued)
		return "other workload";
	return bio_list_empty(&queue->staged) ? "ran dry" : "no tag";
}

/**
 * cfqx_trace_off_tree - a queue is about to leave its service tree
 * @cfqd: the device
 * @queue: the queue, queued
 *
 * Context: cfqd->lock held, the device is traced.
 */
void cfqx_trace_off_tree(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_entity *entity = &queue->entity;
	const char *why = why_off(queue);

	for (; entity; entity = entity->tree->owner) {
		if (entity->tree->active == entity)
			cfqx_trace_end(cfqd, entity, entity->slice_used, why,
				       NULL);
		if (entity == &queue->entity)
			cfqx_trace_queue(cfqd, queue, "del_from_rr");
		if (entity->role == CFQX_ROLE_GROUP)
			cfqx_trace_group(cfqd, cfqx_entity_group(entity),
					 "del_from_rr vt=%llu min_vt=%llu",
					 entity->vdisktime,
					 entity->tree->vtime);
		if (entity->tree->nr_queued > 1)
			break;
	}
}
