// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatch: which request goes to the device next, when to keep the device
 * idle, and who pays for the time.
 *
 * The order of service:
 *
 * 1. Requests that are to be sent as they are (cfqx_data.dispatch).
 * 2. The journal: what tasks of any group may be waiting for.  It passes
 *    through whoever is served without ending a slice, and the groups that
 *    write on that partition pay for it.
 * 3. The queue that the service trees choose.
 *
 * A sync queue that has nothing queued may keep the device until its next
 * request comes (cfqx_data.idling): first while its requests are in the
 * driver, then for as long as slice_idle or group_idle say.  It stays on its
 * service tree meanwhile, so the end of its slice ends that too.
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

/* How long (ns) the device waits for staged bios to become requests. */
#define BIOS_WAIT		(10 * NSEC_PER_MSEC)

/* How long (ns) a disk that seeks waits for what follows a journal write. */
#define JOURNAL_WAIT		NSEC_PER_MSEC

/* What a dispatched request carries in elv.priv[1]. */
#define TICKET_SHIFT		16
#define UNITS_MASK		0xfffUL
#define PARTITION_SHIFT		12
#define PARTITION_MASK		0xfUL

/* What it carries there once the driver gave it back: with the partition. */
#define SENT_BEFORE		0x10UL

static void *pack_ticket(u64 ticket, unsigned int units, unsigned int partition)
{
	return (void *)((ticket << TICKET_SHIFT) | units |
			((unsigned long)partition << PARTITION_SHIFT));
}

/* Whose writers pay for a request that was dispatched, or NULL. */
static struct cfqx_partition *payers_of(struct cfqx_data *cfqd,
					struct request *rq)
{
	unsigned long packed = (unsigned long)rq->elv.priv[1];

	if (!cfqx_rq_test(rq, CFQX_RQ_WRITERS_PAY))
		return NULL;
	return &cfqd->partitions.partition[(packed >> PARTITION_SHIFT) &
					   PARTITION_MASK];
}

static inline struct cfqx_queue *queue_of(struct cfqx_entity *entity)
{
	return container_of(entity, struct cfqx_queue, entity);
}

/* The group whose service tree a queue is on. */
static struct cfqx_group *home_group(struct cfqx_data *cfqd,
				     struct cfqx_queue *queue)
{
	if (queue->entity.tree == &cfqd->root->noidle_tree)
		return cfqd->root;
	return queue->group;
}

static void charge_queue(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			 u64 ns)
{
	cfqx_group_charge(home_group(cfqd, queue), &queue->entity, ns);
}

/*
 * Divide time among the writers of a partition: that of a commit among those who
 * forced it.
 */
static void charge_writers(struct cfqx_data *cfqd,
			   struct cfqx_partition *partition, bool commit,
			   u64 ns)
{
	bool charged = false;
	unsigned int i;

	for (i = 0; partition && i < CFQX_NR_WRITERS; i++) {
		struct cfqx_group *group = partition->writer[i].group;
		u64 part;

		if (commit)
			part = cfqx_writer_part_of_commit(partition, i, ns);
		else
			part = cfqx_writer_part(partition, i, ns);
		if (!part)
			continue;
		charged = true;
		cfqx_group_charge(group, &group->async.entity, part);
	}
	if (!charged)
		cfqx_group_charge(cfqd->root, &cfqd->root->async.entity, ns);
}

/* The device was empty: whoever it was kept idle for pays. */
static void account_idle(struct cfqx_data *cfqd, u64 now)
{
	u64 ns = cfqx_time_idle(&cfqd->clock, now);

	if (!ns || !cfqd->idling)
		return;
	cfqx_stats_time(home_group(cfqd, cfqd->idling), ns, true);
	charge_queue(cfqd, cfqd->idling, ns);
}

static void idle_timer_stop(struct cfqx_data *cfqd)
{
	if (!cfqd->idle_timer_armed)
		return;
	cfqd->idle_timer_armed = false;
	hrtimer_try_to_cancel(&cfqd->idle_timer);
}

/**
 * cfqx_idling_drop - do not keep the device for anybody any more
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_drop(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->idling;

	if (!queue)
		return;
	account_idle(cfqd, ktime_get_ns());
	idle_timer_stop(cfqd);
	cfqd->idling = NULL;
	if (!cfqx_queue_has_work(queue))
		cfqx_queue_deactivate(cfqd, queue);
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
	cfqx_queue_deactivate(cfqd, queue);
	list_del_init(&queue->stalled_link);
}

static bool thinks_within(const struct cfqx_queue *queue, u64 wait)
{
	return queue->think_samples < 8 || queue->think_time <= wait;
}

/*
 * Is the next request of a queue close enough to keep the device for it?  After
 * the data of an fsync the task waits for the journal.
 */
static bool queue_worth_idling(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	u64 wait = cfqd->tunables.slice_idle;

	return wait && thinks_within(queue, wait) && !queue->closing;
}

/*
 * How long to wait for the next request of a queue that ran dry: 0 if that is
 * not worth it.  One stream is waited for by itself, seeky queues and whole
 * groups when the last of them runs dry.
 */
static u64 idle_wait(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = home_group(cfqd, queue);
	u64 wait = cfqd->tunables.group_idle;

	if (!queue->sync)
		return 0;
	if (queue->workload != CFQX_SYNC && group->noidle_tree.nr_queued > 1)
		return 0;
	if (queue_worth_idling(cfqd, queue))
		return cfqd->tunables.slice_idle;
	if (!wait || group->queues_tree.nr_queued > 1)
		return 0;
	if (queue->closing && !queue->think_samples)
		return 0;
	return thinks_within(queue, wait) ? wait : 0;
}

/* A slice may have ended while a queue keeps the device with nothing to do. */
static void idling_check_slice(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->idling;

	if (queue &&
	    cfqx_tree_select(&cfqd->root->children) != &queue->entity) {
		cfqx_trace_queue(cfqd, queue, "slice expired, was idling");
		cfqx_idling_drop(cfqd);
	}
}

/* The last request of a queue that keeps the device is done: wait, or not. */
static void idling_wait(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->idling;
	u64 wait;

	if (!queue || queue->in_driver || cfqd->idle_timer_armed)
		return;
	if (queue->workload != CFQX_SYNC && cfqd->clock.in_flight)
		return;
	wait = idle_wait(cfqd, queue);
	if (!wait) {
		cfqx_trace_queue(cfqd, queue, "Not idling. think_time=%llu",
				 queue->think_time);
		cfqx_idling_drop(cfqd);
		return;
	}
	cfqd->idle_timer_armed = true;
	hrtimer_start(&cfqd->idle_timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
	cfqx_trace_queue(cfqd, queue, "arm_idle: %llu", wait);
}

/**
 * cfqx_idle_timer - nobody came
 * @timer: cfqx_data.idle_timer
 *
 * Context: hard interrupt.
 */
enum hrtimer_restart cfqx_idle_timer(struct hrtimer *timer)
{
	struct cfqx_data *cfqd = container_of(timer, struct cfqx_data,
					      idle_timer);
	unsigned long flags;

	spin_lock_irqsave(&cfqd->lock, flags);
	if (cfqd->idling && cfqd->idle_timer_armed) {
		cfqx_trace_queue(cfqd, cfqd->idling, "idle timer fired");
		cfqx_idling_drop(cfqd);
	}
	cfqx_staging_kick(cfqd);
	spin_unlock_irqrestore(&cfqd->lock, flags);
	blk_mq_run_hw_queues(cfqd->rqq, true);
	return HRTIMER_NORESTART;
}

/*
 * A commit is a few writes, then a record that they are written, next to them.
 * Between the two the disk would seek to somebody's data and back.  So while a
 * write to the journal is under way, and a moment longer, nothing else is sent.
 * Where the tasks write the journal themselves a commit is one write.
 */
static void journal_hold(struct cfqx_data *cfqd, struct request *rq)
{
	struct cfqx_partition *partition = payers_of(cfqd, rq);

	if (cfqd->clock.shared || !partition || !partition->thread)
		return;
	cfqd->journal_hold = true;
	hrtimer_try_to_cancel(&cfqd->journal_timer);
}

static void journal_ended(struct cfqx_data *cfqd,
			  struct cfqx_partition *partition, u64 now)
{
	if (partition)
		partition->commit_time = now;
	if (cfqd->journal_hold && !cfqd->journal.in_driver)
		hrtimer_start(&cfqd->journal_timer, ns_to_ktime(JOURNAL_WAIT),
			      HRTIMER_MODE_REL);
}

/**
 * cfqx_journal_timer - nothing followed a journal write
 * @timer: cfqx_data.journal_timer
 *
 * Context: hard interrupt.
 */
enum hrtimer_restart cfqx_journal_timer(struct hrtimer *timer)
{
	struct cfqx_data *cfqd = container_of(timer, struct cfqx_data,
					      journal_timer);
	unsigned long flags;

	spin_lock_irqsave(&cfqd->lock, flags);
	if (!cfqd->journal.in_driver)
		cfqd->journal_hold = false;
	spin_unlock_irqrestore(&cfqd->lock, flags);
	blk_mq_run_hw_queues(cfqd->rqq, true);
	return HRTIMER_NORESTART;
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

	if (idling == queue) {
		account_idle(cfqd, ktime_get_ns());
		idle_timer_stop(cfqd);
		cfqd->idling = NULL;
		return;
	}
	if (queue->entity.queued) {
		cfqx_queue_reclassify(cfqd, queue);
		return;
	}
	cfqx_queue_activate(cfqd, queue);
	if (queue->sync)
		cfqx_entity_end_slice(&queue->group->async.entity);
	if (idling && idling->workload != CFQX_SYNC &&
	    home_group(cfqd, idling) == home_group(cfqd, queue))
		cfqx_idling_drop(cfqd);
}

/* How many requests may be in the driver while @queue is served. */
static unsigned int driver_limit(struct cfqx_data *cfqd,
				 struct cfqx_queue *queue)
{
	if (cfqd->clock.shared || queue->workload == CFQX_SYNC_NOIDLE)
		return cfqd->hw_depth;
	return min_t(unsigned int, SEQUENTIAL_DEPTH, cfqd->hw_depth);
}

/*
 * How long an entity keeps the device.  Each change of the group costs a seek
 * or two, and nobody waits for write-back.  So while there is nothing else, a
 * turn is a group's part of a long period: two equal groups of writers change
 * places every 360 ms, seven every 114 ms.  When somebody waits for a sync
 * request turns of write-back are as short as they may be.
 */
static u64 turn_of(struct cfqx_data *cfqd, struct cfqx_entity *entity,
		   bool sync)
{
	const struct cfqx_tunables *t = &cfqd->tunables;
	u64 turn;

	if (sync)
		return t->turn;
	if (cfqd->nr_sync || !entity->tree->weight)
		return t->turn_async;
	turn = div64_u64(t->period_async * entity->weight,
			 entity->tree->weight);
	return clamp(turn, t->turn_async_min, t->turn_async_max);
}

static void update_turns(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = home_group(cfqd, queue);

	group->tasks_turn = turn_of(cfqd, &group->tasks, queue->sync);
	for (; group->parent; group = group->parent)
		group->turn = turn_of(cfqd, &group->entity, queue->sync);
}

/* Another queue is served: how long its groups' turns are depends on it. */
static void set_serving(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (!queue->sync)
		cfqx_queue_rewind(queue);
	update_turns(cfqd, queue);
	cfqd->serving = queue;
	cfqd->draining = false;
	cfqd->waiting_since = 0;
	cfqx_trace_queue(cfqd, queue, "set_active wl=%d", queue->workload);
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
		update_turns(cfqd, cfqd->serving);
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
 * A turn costs a seek, and so does going on elsewhere in the same group: in
 * another file, or after a commit.  So once most of its turn is over, a group
 * of writers gives way where the disk has to seek anyway.  Return: if it did.
 */
static bool end_turn_at_jump(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (queue->sync || cfqd->clock.shared || !cfqx_queue_jumps(cfqd, queue))
		return false;
	return cfqx_entity_give_way(&home_group(cfqd, queue)->tasks);
}

/*
 * Where tags are scarce a queue whose turn is over sends what it has before
 * @next, of another group, is served: so that the tags are there for that one.
 */
static bool must_drain(struct cfqx_data *cfqd, struct cfqx_queue *next)
{
	struct cfqx_queue *served = cfqd->serving;

	cfqd->draining = served && served != next && served->nr_queued &&
			 served->group != next->group &&
			 cfqx_tags_scarce(cfqd);
	return cfqd->draining;
}

/* The queue that is to be served, with a request to send; or NULL. */
static struct cfqx_queue *choose_queue(struct cfqx_data *cfqd)
{
	struct cfqx_entity *entity;
	struct cfqx_queue *queue;

	for (;;) {
		entity = cfqx_tree_select(&cfqd->root->children);
		if (!entity)
			return NULL;
		queue = queue_of(entity);
		if (cfqd->idling && cfqd->idling != queue) {
			cfqx_idling_drop(cfqd);
			continue;
		}
		if (must_drain(cfqd, queue))
			return cfqd->serving;
		if (cfqd->serving != queue)
			set_serving(cfqd, queue);
		cfqd->driver_limit = driver_limit(cfqd, queue);
		if (queue->nr_queued) {
			cfqd->waiting_since = 0;
			if (end_turn_at_jump(cfqd, queue))
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

/* May @queue have one more request in the driver? */
static bool driver_has_room(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (cfqd->clock.in_flight >= cfqd->driver_limit)
		return false;
	return queue->workload != CFQX_SYNC_NOIDLE ||
	       queue->in_driver < cfqd->tunables.quantum ||
	       cfqd->queued == queue->nr_queued;
}

/*
 * The clock starts for a request that goes to the driver.  One that the driver
 * gave back was counted, at the size it had.
 */
static void note_dispatch(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			  struct request *rq, u64 now)
{
	unsigned long carried = (unsigned long)rq->elv.priv[1];
	unsigned int units = min_t(unsigned int, UNITS_MASK,
				   cfqx_time_units(blk_rq_sectors(rq)));
	unsigned int partition = carried & PARTITION_MASK;

	account_idle(cfqd, now);
	if (!(carried & SENT_BEFORE))
		cfqx_stats_sent(queue, rq);
	cfqx_stats_service_begin(queue, rq->cmd_flags, now);
	rq->rq_flags |= RQF_STARTED;
	rq->elv.priv[1] = pack_ticket(cfqx_time_dispatch(&cfqd->clock, now,
							 units),
				      units, partition);
	cfqx_rq_set(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver++;
	queue->closing = op_is_write(req_op(rq)) &&
			 !(rq->cmd_flags & REQ_IDLE);
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

/* A queue may have run dry by a dispatch: keep the device for it, or not. */
static void queue_sent_last(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (cfqx_queue_has_work(queue))
		return;
	if (idle_wait(cfqd, queue))
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
		journal_hold(cfqd, rq);
		return rq;
	}
	if (cfqd->journal_hold)
		return NULL;
	queue = choose_queue(cfqd);
	if (!queue || !driver_has_room(cfqd, queue))
		return NULL;
	rq = send_next(cfqd, queue);
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
	unsigned long packed = (unsigned long)rq->elv.priv[1];
	struct cfqx_partition *partition = payers_of(cfqd, rq);
	u64 ns;

	cfqx_rq_clear(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver--;
	queue->last_end = now;
	cfqx_stats_service_end(queue, rq->cmd_flags, now);
	ns = cfqx_time_complete(&cfqd->clock, now, packed >> TICKET_SHIFT,
				packed & UNITS_MASK);
	if (partition)
		charge_writers(cfqd, partition, queue == &cfqd->journal, ns);
	else
		charge_queue(cfqd, queue, ns);
	cfqx_trace_queue(cfqd, queue, "complete charge=%llu", ns);
	if (queue == &cfqd->journal)
		journal_ended(cfqd, partition, now);
	idling_check_slice(cfqd);
	idling_wait(cfqd);
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

	account_idle(cfqd, rq->start_time_ns);
	ns = cfqx_time_foreign(&cfqd->clock, now, rq->start_time_ns);
	if (rq->part)
		partition = cfqx_partition_find(&cfqd->partitions, rq->part);
	if (partition)
		partition->commit_time = now;
	if (ns)
		charge_writers(cfqd, partition, true, ns);
	idling_check_slice(cfqd);
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
	unsigned long packed = (unsigned long)rq->elv.priv[1];
	u64 now = ktime_get_ns();

	cfqx_rq_clear(rq, CFQX_RQ_DISPATCHED);
	queue->in_driver--;
	cfqx_stats_service_end(queue, rq->cmd_flags, now);
	cfqx_time_forget(&cfqd->clock, now, packed >> TICKET_SHIFT,
			 packed & UNITS_MASK);
	rq->elv.priv[1] = (void *)(((packed >> PARTITION_SHIFT) &
				    PARTITION_MASK) | SENT_BEFORE);
	rq->rq_flags &= ~RQF_STARTED;
	if (queue == &cfqd->journal)
		journal_ended(cfqd, NULL, now);
	idling_wait(cfqd);
}
