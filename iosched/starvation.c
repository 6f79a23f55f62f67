// SPDX-License-Identifier: GPL-2.0
/*
 * Starvation: nobody waits for ever, however little it weighs.
 *
 * At a weight of 1 : 10000 the least that a group can be given, one request, is
 * its due for minutes.  A task that waits so long looks dead, and may hold a lock
 * that others need.  So now and then one request of the group that was served
 * longest ago goes before all others, and is charged as usual.  That takes some
 * four per mille of a disk at most: one seek in so long a time.
 *
 * Locking: cfqx_data.lock.
 */
#include <linux/jiffies.h>

#include "cfqx.h"

/* Who waits for so long is helped, and one in so long a time. */
#define STARVED			msecs_to_jiffies(5000)

/**
 * cfqx_starvation_begin - a queue has work
 * @cfqd: the device
 * @queue: the queue, on its tree
 *
 * Context: cfqd->lock held.
 */
void cfqx_starvation_begin(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	if (!list_empty(&group->waiting_link))
		return;
	group->served_at = jiffies;
	list_add_tail(&group->waiting_link, &cfqd->waiting_groups);
}

/**
 * cfqx_starvation_end - a queue has no work any more
 * @cfqd: the device
 * @queue: the queue, which was taken from its tree
 *
 * Context: cfqd->lock held.
 */
void cfqx_starvation_end(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	if (!group->tasks.queued)
		list_del_init(&group->waiting_link);
}

/**
 * cfqx_starvation_served - a request goes to the driver
 * @cfqd: the device
 * @queue: its queue
 *
 * Context: cfqd->lock held.
 */
void cfqx_starvation_served(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	group->served_at = jiffies;
	if (!list_empty(&group->waiting_link))
		list_move_tail(&group->waiting_link, &cfqd->waiting_groups);
}

/**
 * cfqx_starvation_next - is it time to serve somebody out of turn
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 * Return: a queue with a request, or NULL.
 */
struct cfqx_queue *cfqx_starvation_next(struct cfqx_data *cfqd)
{
	struct cfqx_group *group =
		list_first_entry_or_null(&cfqd->waiting_groups,
					 struct cfqx_group, waiting_link);
	struct cfqx_entity *entity;
	struct cfqx_queue *queue;

	if (!group || !time_after(jiffies, group->served_at + STARVED) ||
	    !time_after(jiffies, cfqd->helped_at + STARVED))
		return NULL;
	cfqd->helped_at = jiffies;
	entity = cfqx_tree_select(&group->classes);
	if (!entity)
		return NULL;
	queue = container_of(entity, struct cfqx_queue, entity);
	if (!queue->nr_queued) {
		/* Its bios are to become requests first; others are next. */
		list_move_tail(&group->waiting_link, &cfqd->waiting_groups);
		return NULL;
	}
	cfqx_trace_queue(cfqd, queue, "starved for %u ms",
			 jiffies_to_msecs(jiffies - group->served_at));
	return queue;
}
