// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: how long a group keeps the device before another is chosen.
 *
 * Locking: cfqx_data.lock.
 */
#include "cfqx.h"

/*
 * How long an entity keeps the device.  Each change of the group costs a seek
 * or two, and nobody waits for write-back.  So while there is nothing else, a
 * turn is a group's part of a long period, but no more than what takes the
 * others 150 ms behind: two equal groups of writers change places every 300 ms,
 * seven every 114 ms.  While somebody waits for a sync
 * request turns of write-back are as short as they may be, and end sooner if
 * whoever waits is due (service_tree.c).
 *
 * When a group is due depends on how long its turn will be.  A task that comes
 * after a pause, or is in the middle of its fsyncs, does not need much at a
 * time, and so is due soon.
 */
static u64 turn_of(struct cfqx_data *cfqd, struct cfqx_entity *entity,
		   const struct cfqx_queue *queue)
{
	const struct cfqx_tunables *t = &cfqd->tunables;
	u64 turn, others;

	if (queue->newcomer || queue->closing)
		return t->newcomer;
	if (queue->sync)
		return t->turn;
	if (cfqd->root->children.nr_urgent || !entity->tree->weight)
		return t->turn_async;
	turn = div64_u64(t->period_async * entity->weight,
			 entity->tree->weight);
	others = entity->tree->weight - entity->weight;
	if (others)
		turn = min(turn, div64_u64(t->lag_async * entity->tree->weight,
					   others));
	return clamp(turn, t->turn_async, t->turn_async_max);
}

/**
 * cfqx_turns_update - set how long the groups above a queue keep the device
 * @cfqd: the device
 * @queue: the queue that is served
 *
 * Context: cfqd->lock held.
 */
void cfqx_turns_update(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	group->tasks_turn = turn_of(cfqd, &group->tasks, queue);
	for (; group->parent; group = group->parent)
		group->turn = turn_of(cfqd, &group->entity, queue);
}

/**
 * cfqx_turns_keep - may turns be cut short for who waits
 * @cfqd: the device
 * @queue: the queue that is served
 * @whole: they may not
 *
 * Context: cfqd->lock held.
 */
void cfqx_turns_keep(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		     bool whole)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	for (; group; group = group->parent) {
		group->tasks.whole = whole;
		group->entity.whole = whole;
	}
}

/**
 * cfqx_turns_begin - a queue is about to bring its group back
 * @cfqd: the device
 * @queue: the queue, which is to be queued on the tree it is in
 *
 * Its place in the tree depends on how long its turn will be.
 *
 * Context: cfqd->lock held.
 */
void cfqx_turns_begin(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = cfqx_queue_home(cfqd, queue);

	if (group->tasks.queued)
		return;
	group->tasks_turn = turn_of(cfqd, &group->tasks, queue);
	for (; group->parent && !group->entity.queued; group = group->parent)
		group->turn = turn_of(cfqd, &group->entity, queue);
}

/**
 * cfqx_sync_arrived - the first sync queue has work
 * @cfqd: the device
 *
 * A turn of write-back that is under way is long enough now.
 *
 * Context: cfqd->lock held.
 */
void cfqx_sync_arrived(struct cfqx_data *cfqd)
{
	if (cfqd->serving && !cfqd->serving->sync)
		cfqx_turns_update(cfqd, cfqd->serving);
}

/**
 * cfqx_turn_end_at_jump - end a turn of write-back where that costs nothing
 * @cfqd: the device
 * @queue: the queue that is served, not empty
 *
 * A turn costs a seek, and so does going on elsewhere in the same group: in
 * another file, or after a commit.  So once most of its turn is over, a group
 * of writers gives way where the disk has to seek anyway.
 *
 * Context: cfqd->lock held.
 * Return: true if the turn ended.
 */
bool cfqx_turn_end_at_jump(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (queue->sync || cfqd->clock.shared || !cfqx_queue_jumps(cfqd, queue))
		return false;
	if (!cfqx_entity_give_way(&cfqx_queue_home(cfqd, queue)->tasks))
		return false;
	if (cfqx_traced(cfqd))
		cfqx_trace_gave_way(cfqd, queue);
	return true;
}
