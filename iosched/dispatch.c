// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatch: which request goes to the device next.
 *
 * The order of service:
 *
 * 1. Requests that are to be sent as they are (cfqx_data.dispatch).
 * 2. The journal: what tasks of any group may be waiting for.  It passes
 *    through whoever is served without ending a slice, and those who forced the
 *    commit, or else all who write on that partition, pay for it.
 * 3. Now and then a request of a group that waited for too long (starvation.c).
 * 4. The queue that the service trees choose.
 *
 * Few requests are in the driver at a time: a disk that may choose among many
 * chooses for itself.  Seeky readers get the device's whole depth, since there
 * the device's own order is worth more than ours.
 *
 * Locking: cfqx_data.lock.
 */
#include "cfqx.h"

/* In the driver on a disk that seeks: one served, one to follow it. */
#define SEQUENTIAL_DEPTH	2

/* A slice of write-back, at its level, is as many times slice_async_rq. */
#define ASYNC_RQ_FACTOR		8

/* How long (ns) the device waits for staged bios to become requests. */
#define BIOS_WAIT		(10 * NSEC_PER_MSEC)

/*
 * What a request carries in elv.priv[1]: before it is sent, its partition and
 * whether it is part of a commit; then above that the ticket and the units; once
 * the driver gave it back, that it was sent before.
 */
#define TICKET_SHIFT		16
#define UNITS_SHIFT		5
#define UNITS_MASK		0x7ffUL
#define PARTITION_MASK		0xfUL
#define COMMIT			0x10UL
#define CARRIED_MASK		(PARTITION_MASK | COMMIT)
#define SENT_BEFORE		0x20UL

static unsigned long carried_by(const struct request *rq)
{
	return (unsigned long)rq->elv.priv[1];
}

static unsigned int units_of(const struct request *rq)
{
	return (carried_by(rq) >> UNITS_SHIFT) & UNITS_MASK;
}

/**
 * cfqx_rq_carry - let a request carry for whom it is
 * @rq: a request that is about to be queued
 * @slot: of the partition, in cfqx_data.partitions
 * @commit: it is part of a commit
 */
void cfqx_rq_carry(struct request *rq, unsigned int slot, bool commit)
{
	BUILD_BUG_ON(CFQX_NR_PARTITIONS > 16);
	rq->elv.priv[1] = (void *)(slot | (commit ? COMMIT : 0));
}

/**
 * cfqx_rq_is_commit - is a request part of a commit
 * @rq: a request for which writers pay
 */
bool cfqx_rq_is_commit(const struct request *rq)
{
	return carried_by(rq) & COMMIT;
}

/**
 * cfqx_rq_partition - whose writers pay for a request
 * @cfqd: the device
 * @rq: the request
 *
 * Context: cfqd->lock held.
 * Return: the partition, NULL if its own queue pays.
 */
struct cfqx_partition *cfqx_rq_partition(struct cfqx_data *cfqd,
					 struct request *rq)
{
	if (!cfqx_rq_test(rq, CFQX_RQ_WRITERS_PAY))
		return NULL;
	return &cfqd->partitions.partition[carried_by(rq) & PARTITION_MASK];
}

static inline struct cfqx_queue *queue_of(struct cfqx_entity *entity)
{
	return container_of(entity, struct cfqx_queue, entity);
}

/**
 * cfqx_forget_queue - nothing may point to a queue any more
 * @cfqd: the device
 * @queue: a queue without work that is going away
 *
 * If the device was kept for it others may have to be served now.  The callers
 * cannot run the hardware queues under the lock, so the timer does.
 *
 * Context: cfqd->lock held.
 */
void cfqx_forget_queue(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (cfqd->idling == queue) {
		cfqx_idling_drop(cfqd);
		hrtimer_start(&cfqd->idle_timer, 0, HRTIMER_MODE_REL);
	}
	if (cfqd->serving == queue)
		cfqd->serving = NULL;
	if (queue->group->waiter == queue)
		queue->group->waiter = NULL;
	cfqx_queue_deactivate(cfqd, queue);
	list_del_init(&queue->stalled_link);
}

/* Somebody waits for @queue: its group's write-back has had its slice. */
static void preempt_async(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_entity *async = &queue->group->async.entity;

	if (async->tree->active != async)
		return;
	if (cfqx_traced(cfqd))
		cfqx_trace_end(cfqd, async, async->slice_used, "preempt",
			       &queue->entity);
	cfqx_entity_end_slice(async);
}

/**
 * cfqx_work_arrived - a queue got a request or a staged bio
 * @cfqd: the device
 * @queue: the queue
 *
 * Context: cfqd->lock held.
 */
void cfqx_work_arrived(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_queue *idling = cfqd->idling;

	/* It is back from its fsync, so nothing more of that commit will come. */
	if (queue->closing)
		cfqx_journal_release(cfqd);
	if (idling == queue) {
		cfqx_trace_queue(cfqd, queue, "idling ended: request came");
		cfqx_idling_end(cfqd);
		return;
	}
	if (queue->entity.queued) {
		cfqx_queue_reclassify(cfqd, queue);
		return;
	}
	cfqx_queue_activate(cfqd, queue);
	if (queue->entity.urgent)
		preempt_async(cfqd, queue);
	if (idling && cfqx_queue_home(cfqd, idling) ==
		      cfqx_queue_home(cfqd, queue) &&
	    (idling->workload != CFQX_SYNC ||
	     queue->priority.class == CFQX_RT)) {
		cfqx_trace_queue(cfqd, idling, "idling ended: preempt by cfqx%dS",
				 queue->pid);
		cfqx_idling_drop(cfqd);
	}
}

/* How many requests may be in the driver while @queue is served. */
static unsigned int driver_limit(struct cfqx_data *cfqd,
				 struct cfqx_queue *queue)
{
	unsigned int limit = SEQUENTIAL_DEPTH;

	if (cfqd->clock.shared || queue->workload == CFQX_SYNC_NOIDLE)
		return cfqd->hw_depth;
	if (cfqd->mixed)
		limit += cfqd->clock.in_flight - queue->in_driver;
	return min(limit, cfqd->hw_depth);
}

/* Another queue is served: how long its groups' turns are depends on it. */
static void set_serving(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (!queue->sync)
		cfqx_queue_rewind(queue);
	cfqx_turns_update(cfqd, queue);
	/*
	 * A disk is slow while the last of many seeky requests run out.  So a
	 * short turn of write-back does not wait for that: the disk goes on
	 * with a stream once it is there, and has the others to choose from
	 * afterwards.  It costs something all the same, so the turn is not cut.
	 */
	cfqd->mixed = !queue->sync &&
		      cfqd->clock.in_flight > SEQUENTIAL_DEPTH;
	cfqx_turns_keep(cfqd, queue, cfqd->mixed);
	cfqd->serving = queue;
	cfqd->draining = false;
	cfqd->waiting_since = 0;
	queue->slice_sent = 0;
	cfqx_trace_choice(cfqd);
	cfqx_trace_queue(cfqd, queue, "set_active wl=%s turn=%llu",
			 cfqx_workload_name(queue->workload),
			 cfqx_queue_home(cfqd, queue)->tasks_turn);
}

/*
 * May @queue, which has no request, keep the device until its bios become some?
 * Only for a moment: the thread that submits them can be held up by what we
 * ourselves hold back, or by a frozen queue.
 */
static bool wait_for_bios(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	u64 now = ktime_get_ns();

	if (!cfqx_staging_possible(cfqd, queue))
		return false;
	if (!cfqd->waiting_since)
		cfqd->waiting_since = now;
	return now - cfqd->waiting_since < BIOS_WAIT;
}

/*
 * Where tags are scarce a queue whose turn is over sends what it has before
 * @next, of another group, is served: so that the tags are there for that one.
 */
static bool must_drain(struct cfqx_data *cfqd, struct cfqx_queue *next)
{
	struct cfqx_queue *served = cfqd->serving;
	bool was_draining = cfqd->draining;

	cfqd->draining = served && served != next && served->nr_queued &&
			 served->group != next->group &&
			 cfqx_tags_scarce(cfqd);
	if (cfqd->draining && !was_draining)
		cfqx_trace_queue(cfqd, served, "draining %u for cfqx%d%c",
				 served->nr_queued, next->pid,
				 next->sync ? 'S' : 'A');
	return cfqd->draining;
}

/* The queue that is to be served, with a request to send; or NULL. */
static struct cfqx_queue *choose_queue(struct cfqx_data *cfqd)
{
	struct cfqx_entity *entity;
	struct cfqx_queue *queue;

	for (;;) {
		entity = cfqx_choose(cfqd);
		if (!entity)
			return NULL;
		queue = queue_of(entity);
		if (cfqd->idling && cfqd->idling != queue) {
			cfqx_trace_choice(cfqd);
			cfqx_trace_queue(cfqd, cfqd->idling,
					 "idling ended: slice over");
			cfqx_idling_drop(cfqd);
			continue;
		}
		if (must_drain(cfqd, queue)) {
			cfqx_trace_choice(cfqd);
			return cfqd->serving;
		}
		cfqx_queue_set_slice(cfqd, queue);
		if (cfqd->serving != queue)
			set_serving(cfqd, queue);
		cfqx_trace_choice(cfqd);
		cfqd->driver_limit = driver_limit(cfqd, queue);
		if (queue->nr_queued) {
			cfqd->waiting_since = 0;
			if (cfqx_turn_end_at_jump(cfqd, queue))
				continue;
			return queue;
		}
		if (cfqd->idling == queue || wait_for_bios(cfqd, queue))
			return NULL;
		/* Others must be served first. */
		cfqd->waiting_since = 0;
		cfqx_queue_deactivate(cfqd, queue);
		if (!bio_list_empty(&queue->staged))
			list_add_tail(&queue->stalled_link, &cfqd->stalled);
	}
}

/**
 * cfqx_update_serving - choose anew if whoever is served has nothing left
 * @cfqd: the device
 *
 * Bios are turned into requests for the queue that is served first, so it must
 * be one that has some.
 *
 * Context: cfqd->lock held.
 */
void cfqx_update_serving(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->serving;

	if (!queue || !cfqx_queue_has_work(queue) ||
	    (cfqd->draining && !queue->nr_queued))
		choose_queue(cfqd);
}

/**
 * cfqx_resume_stalled - a tag became free
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 */
void cfqx_resume_stalled(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue, *next;

	list_for_each_entry_safe(queue, next, &cfqd->stalled, stalled_link)
		cfqx_queue_activate(cfqd, queue);
}

/*
 * May @queue have one more request in the driver?  Where requests are served at
 * the same time quantum leaves part of the device unused, since only the queue
 * that is served sends any: so it counts there only if other groups wait.  Then
 * something has to be left to choose from, or all is sent and nothing is shared.
 */
static bool driver_has_room(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (cfqd->clock.in_flight >= cfqd->driver_limit)
		return false;
	return queue->workload != CFQX_SYNC_NOIDLE ||
	       (cfqd->clock.shared && cfqd->nr_busy_groups <= 1) ||
	       queue->in_driver < cfqd->tunables.quantum ||
	       (cfqd->queued == queue->nr_queued &&
		cfqd->clock.in_flight == queue->in_driver);
}

/*
 * The clock starts for a request that goes to the driver.  One that the driver
 * gave back was counted, at the size it had.
 */
static void note_dispatch(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			  struct request *rq, u64 now)
{
	unsigned long carried = carried_by(rq);
	unsigned long units = min_t(unsigned int, UNITS_MASK,
				    cfqx_time_units(blk_rq_sectors(rq)));
	u64 ticket;

	cfqx_idling_account(cfqd, now);
	if (!(carried & SENT_BEFORE))
		cfqx_stats_sent(queue, rq);
	cfqx_stats_service_begin(queue, rq->cmd_flags, now);
	rq->rq_flags |= RQF_STARTED;
	ticket = cfqx_time_dispatch(&cfqd->clock, now, units);
	rq->elv.priv[1] = (void *)((ticket << TICKET_SHIFT) |
				   (units << UNITS_SHIFT) |
				   (carried & CARRIED_MASK));
	cfqx_rq_set(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver++;
	queue->closing = queue->sync && op_is_write(req_op(rq)) &&
			 !(rq->cmd_flags & REQ_IDLE);
	if (queue->closing)
		cfqx_note_waiter(cfqd, queue, rq, now);
	queue->last_pos = blk_rq_pos(rq) + blk_rq_sectors(rq);
	cfqd->last_pos = queue->last_pos;
}

static struct request *send_next(struct cfqx_data *cfqd,
				 struct cfqx_queue *queue)
{
	u64 now = ktime_get_ns();
	struct request *rq = cfqx_queue_next(cfqd, queue, now);

	cfqx_queue_remove(cfqd, queue, rq, now);
	note_dispatch(cfqd, queue, rq, now);
	return rq;
}

/* One request out of turn, which changes nothing of whose turn it is. */
static struct request *send_starved(struct cfqx_data *cfqd,
				    struct cfqx_queue *queue)
{
	struct request *rq = send_next(cfqd, queue);

	cfqx_starvation_served(cfqd, queue);
	if (!cfqx_queue_has_work(queue) && cfqd->idling != queue)
		cfqx_queue_deactivate(cfqd, queue);
	return rq;
}

/*
 * Write-back of many small requests may let its group's other queues wait for
 * less than a slice.  What it had counts, so its share stays the same.
 */
static void end_async_slice(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (queue->sync || queue->entity.tree->nr_queued < 2 ||
	    ++queue->slice_sent < ASYNC_RQ_FACTOR *
				  cfqd->tunables.slice_async_rq)
		return;
	queue->slice_sent = 0;
	cfqx_entity_end_slice(&queue->entity);
}

/* A queue may have run dry by a dispatch: keep the device for it, or not. */
static void queue_sent_last(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (cfqx_queue_has_work(queue))
		return;
	if (cfqx_idling_time(cfqd, queue))
		cfqd->idling = queue;
	else
		cfqx_queue_deactivate(cfqd, queue);
}

/**
 * cfqx_may_dispatch - is it worth asking for a request
 * @cfqd: the device
 *
 * Context: any; without the lock the answer is a hint.  Whoever makes it true
 * runs the hardware queues.
 */
bool cfqx_may_dispatch(struct cfqx_data *cfqd)
{
	if (!list_empty_careful(&cfqd->dispatch) ||
	    READ_ONCE(cfqd->journal.nr_queued))
		return true;
	return READ_ONCE(cfqd->queued) && !READ_ONCE(cfqd->idling) &&
	       !READ_ONCE(cfqd->journal_hold) &&
	       READ_ONCE(cfqd->clock.in_flight) <
	       READ_ONCE(cfqd->driver_limit);
}

/**
 * cfqx_dispatch_next - the request to send to the driver now
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 * Return: the request, or NULL if there is none or it is not yet its time.
 */
struct request *cfqx_dispatch_next(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = &cfqd->journal;
	struct request *rq;

	rq = list_first_entry_or_null(&cfqd->dispatch, struct request,
				      queuelist);
	if (rq) {
		list_del_init(&rq->queuelist);
		/* A request of ours that the driver gave back. */
		if (cfqx_rq_managed(rq) && cfqx_rq_queue(rq))
			note_dispatch(cfqd, cfqx_rq_queue(rq), rq,
				      ktime_get_ns());
		return rq;
	}
	if (queue->nr_queued) {
		rq = send_next(cfqd, queue);
		cfqx_journal_sent(cfqd, rq);
		return rq;
	}
	if (cfqd->journal_hold)
		return NULL;
	queue = cfqx_starvation_next(cfqd);
	if (queue)
		return send_starved(cfqd, queue);
	queue = choose_queue(cfqd);
	if (!queue || !driver_has_room(cfqd, queue))
		return NULL;
	rq = send_next(cfqd, queue);
	cfqx_starvation_served(cfqd, queue);
	end_async_slice(cfqd, queue);
	queue_sent_last(cfqd, queue);
	return rq;
}

/**
 * cfqx_complete - a request of ours is done
 * @cfqd: the device
 * @rq: the request, dispatched
 * @now: current time (ns)
 *
 * Context: cfqd->lock held.
 * Return: true if the hardware queues should be run.
 */
bool cfqx_complete(struct cfqx_data *cfqd, struct request *rq, u64 now)
{
	struct cfqx_queue *queue = cfqx_rq_queue(rq);
	struct cfqx_partition *partition = cfqx_rq_partition(cfqd, rq);
	u64 ns;

	cfqx_rq_clear(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver--;
	queue->last_end = now;
	cfqx_stats_service_end(queue, rq->cmd_flags, now);
	ns = cfqx_time_complete(&cfqd->clock, now,
				carried_by(rq) >> TICKET_SHIFT, units_of(rq));
	cfqx_charge(cfqd, rq, (u64)units_of(rq) * CFQX_UNIT_BYTES, ns);
	if (queue == &cfqd->journal)
		cfqx_journal_ended(cfqd, cfqx_rq_is_commit(rq) ? partition :
							       NULL, now);
	cfqx_idling_check_slice(cfqd);
	cfqx_idling_wait(cfqd);
	return cfqx_may_dispatch(cfqd);
}

/**
 * cfqx_complete_foreign - a request is done that went past the scheduler
 * @cfqd: the device
 * @rq: the request: a flush, a commit record
 * @now: current time (ns)
 *
 * Context: cfqd->lock held.
 * Return: true if the hardware queues should be run.
 */
bool cfqx_complete_foreign(struct cfqx_data *cfqd, struct request *rq,
			   u64 now)
{
	struct cfqx_partition *partition = NULL;
	u64 ns;

	cfqx_idling_account(cfqd, rq->start_time_ns);
	ns = cfqx_time_foreign(&cfqd->clock, now, rq->start_time_ns);
	if (rq->part)
		partition = cfqx_partition_find(&cfqd->partitions, rq->part);
	if (partition)
		cfqx_journal_foreign(partition, rq, now);
	cfqx_charge_foreign(cfqd, partition, rq, ns);
	cfqx_idling_check_slice(cfqd);
	cfqx_idling_pause(cfqd);
	cfqx_idling_wait(cfqd);
	return cfqx_may_dispatch(cfqd);
}

/**
 * cfqx_requeue - the driver gave a request back
 * @cfqd: the device
 * @rq: the request, dispatched; it will be inserted again
 *
 * Context: cfqd->lock held.
 */
void cfqx_requeue(struct cfqx_data *cfqd, struct request *rq)
{
	struct cfqx_queue *queue = cfqx_rq_queue(rq);
	u64 now = ktime_get_ns();

	cfqx_rq_clear(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver--;
	cfqx_stats_service_end(queue, rq->cmd_flags, now);
	cfqx_time_forget(&cfqd->clock, now, carried_by(rq) >> TICKET_SHIFT,
			 units_of(rq));
	rq->elv.priv[1] = (void *)((carried_by(rq) & CARRIED_MASK) |
				   SENT_BEFORE);
	rq->rq_flags &= ~RQF_STARTED;
	cfqx_trace_queue(cfqd, queue, "requeue drv=%u", queue->in_driver);
	if (queue == &cfqd->journal)
		cfqx_journal_ended(cfqd, NULL, now);
	cfqx_idling_wait(cfqd);
}
