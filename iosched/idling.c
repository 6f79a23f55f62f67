// SPDX-License-Identifier: GPL-2.0
/*
 * Idling: when to keep the device idle for a queue that ran dry.
 *
 * A sync queue that has nothing queued may keep the device until its next
 * request comes (cfqx_data.idling): first while its requests are in the
 * driver, then for as long as slice_idle or group_idle say.  It stays on its
 * service tree meanwhile, so the end of its slice ends that too.
 *
 * A task in fsync sends data, waits for the journal, and only then can it send
 * more.  The commit passes through while the device is kept for the task, and
 * the wait for its next request begins when the commit is done.  Otherwise it
 * would have one request in each of its slices, beside a stream that fills its
 * own.
 *
 * Locking: cfqx_data.lock, but for the timer, which takes it.
 */
#include "cfqx.h"

/* A device without work for so long (ns) does something of its own. */
#define IDLE		NSEC_PER_MSEC

/* So many samples say something about a queue. */
#define THINK_SAMPLES	8

/**
 * cfqx_idling_account - the device was empty: whoever it was kept for pays
 * @cfqd: the device
 * @now: current time (ns)
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_account(struct cfqx_data *cfqd, u64 now)
{
	u64 ns = cfqx_time_idle(&cfqd->clock, now);

	if (ns > IDLE)
		cfqx_write_cache_other(&cfqd->write_cache);
	if (!ns || !cfqd->idling)
		return;
	cfqx_stats_time(cfqx_queue_home(cfqd, cfqd->idling), ns, true);
	cfqx_queue_charge(cfqd, cfqd->idling, ns);
	cfqx_trace_queue(cfqd, cfqd->idling, "idled charge=%llu", ns);
}

static void idle_timer_stop(struct cfqx_data *cfqd)
{
	if (!cfqd->idle_timer_armed)
		return;
	cfqd->idle_timer_armed = false;
	hrtimer_try_to_cancel(&cfqd->idle_timer);
}

/**
 * cfqx_idling_end - the device is not kept any more
 * @cfqd: the device, kept for a queue
 *
 * That queue stays on its tree: its request came.
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_end(struct cfqx_data *cfqd)
{
	cfqx_idling_account(cfqd, ktime_get_ns());
	idle_timer_stop(cfqd);
	cfqd->idling = NULL;
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
	cfqx_idling_end(cfqd);
	if (!cfqx_queue_has_work(queue))
		cfqx_queue_deactivate(cfqd, queue);
}

static bool thinks_within(const struct cfqx_queue *queue, u64 wait)
{
	return queue->think_samples < THINK_SAMPLES ||
	       queue->think_time <= wait;
}

/**
 * cfqx_idling_since - from when on the issuer of a queue could go on
 * @queue: a queue with nothing under way
 *
 * Context: cfqx_data.lock held.
 * Return: when its last request ended, or the commit that followed (ns).
 */
u64 cfqx_idling_since(const struct cfqx_queue *queue)
{
	if (!queue->closing || !queue->waits_on)
		return queue->last_end;
	return max(queue->last_end, queue->waits_on->commit_time);
}

/*
 * Is the next request of a queue not close enough to keep the device for it?
 * After the data of an fsync that is not known before the task was seen to come
 * back.  Nor does write-back of its own group have to wait for that: nobody
 * waits for write-back, so it gives way soon enough.  Return: why not, or NULL.
 */
static const char *queue_not_worth(struct cfqx_data *cfqd,
				   const struct cfqx_class *class,
				   struct cfqx_queue *queue)
{
	u64 wait = cfqd->tunables.slice_idle;

	if (!wait)
		return "off";
	if (queue->closing && (queue->think_samples < THINK_SAMPLES ||
			       class->queues.nr_urgent < 2))
		return "fsync data";
	return thinks_within(queue, wait) ? NULL : "think time";
}

/* The same for the group of a queue that is the last of it to run dry. */
static const char *group_not_worth(struct cfqx_data *cfqd,
				   struct cfqx_class *class,
				   struct cfqx_queue *queue)
{
	u64 wait = cfqd->tunables.group_idle;

	if (!wait)
		return "off";
	if (class->queues.nr_queued > 1 || class->entity.tree->nr_queued > 1)
		return "others";
	if (queue->closing && queue->think_samples < THINK_SAMPLES)
		return "fsync data";
	return thinks_within(queue, wait) ? NULL : "think time";
}

static u64 not_idling(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		      const char *why, const char *why_group)
{
	cfqx_trace_queue(cfqd, queue, "Not idling: %s, group: %s think=%llu/%u",
			 why, why_group, queue->think_time,
			 queue->think_samples);
	return 0;
}

/**
 * cfqx_idling_time - how long to wait for the next request of a queue
 * @cfqd: the device
 * @queue: a queue that ran dry
 *
 * One stream is waited for by itself, seeky queues and whole groups when the
 * last of them runs dry.
 *
 * Context: cfqd->lock held.
 * Return: time in ns; 0 if it is not worth waiting.
 */
u64 cfqx_idling_time(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_class *class = cfqx_class_of(cfqd, queue);
	const char *why, *why_group;

	if (!queue->sync)
		return not_idling(cfqd, queue, "async", "async");
	if (queue->workload != CFQX_SYNC && class->noidle_queues.nr_queued > 1)
		return not_idling(cfqd, queue, "seeky sibling", "others");
	why = queue_not_worth(cfqd, class, queue);
	if (!why)
		return cfqd->tunables.slice_idle;
	why_group = group_not_worth(cfqd, class, queue);
	if (!why_group)
		return cfqd->tunables.group_idle;
	return not_idling(cfqd, queue, why, why_group);
}

/**
 * cfqx_idling_check_slice - may the device still be kept for a queue
 * @cfqd: the device
 *
 * Its slice may have ended meanwhile.
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_check_slice(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->idling;
	bool over;

	if (!queue)
		return;
	over = cfqx_choose(cfqd) != &queue->entity;
	cfqx_trace_choice(cfqd);
	if (!over)
		return;
	cfqx_trace_queue(cfqd, queue, "idling ended: slice over");
	cfqx_idling_drop(cfqd);
}

/**
 * cfqx_idling_wait - the last request of who keeps the device may be done
 * @cfqd: the device
 *
 * Then it is waited for, or not.
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_wait(struct cfqx_data *cfqd)
{
	struct cfqx_queue *queue = cfqd->idling;
	u64 wait;

	if (!queue || queue->in_driver || cfqd->idle_timer_armed)
		return;
	if (queue->workload != CFQX_SYNC && cfqd->clock.in_flight)
		return;
	if (queue->closing && cfqx_journal_busy(cfqd))
		return;
	wait = cfqx_idling_time(cfqd, queue);
	if (!wait) {
		cfqx_idling_drop(cfqd);
		return;
	}
	cfqd->idle_timer_armed = true;
	hrtimer_start(&cfqd->idle_timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
	cfqx_trace_queue(cfqd, queue, "arm_idle: %llu", wait);
}

/**
 * cfqx_idling_pause - something passes through while the device is kept
 * @cfqd: the device
 *
 * Who waits for it has not begun to think.
 *
 * Context: cfqd->lock held.
 */
void cfqx_idling_pause(struct cfqx_data *cfqd)
{
	if (cfqd->idling && cfqd->idling->closing)
		idle_timer_stop(cfqd);
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
