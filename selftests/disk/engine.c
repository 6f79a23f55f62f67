// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of the modelled disk: takes commands, chooses which is served next,
 * completes them in hrtimer time, and accounts every nanosecond once.
 *
 * It lives in the *disk's* time: a command ends when the model says, and the next
 * is chosen as of that moment, however late the timer's handler may run. So the
 * processor's time never becomes the disk's, and equal commands at equal times
 * give equal completions.
 *
 * Takes mdisk.lock; nothing is called under it but the timer and the tree of
 * regions. Requests are completed after it is dropped.
 */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "compat.h"
#include "modeldisk.h"

/* Busy time is shared equally by those served at the same time. */
static void share_busy(struct mdisk *d, u64 ns)
{
	u64 each = div_u64(ns, d->nr_active);
	u64 odd = ns - each * d->nr_active;
	u32 i;

	for (i = 0; i < d->nr_servers; i++) {
		if (!d->server[i].job)
			continue;
		mdisk_charge(d, d->server[i].job, each + odd);
		odd = 0;
	}
}

/* Account the time up to @t, during which the set of jobs served was the same. */
static void settle(struct mdisk *d, u64 t)
{
	u64 ns;

	lockdep_assert_held(&d->lock);
	if (t <= d->totals.settled)
		return;
	ns = t - d->totals.settled;
	d->totals.settled = t;
	if (d->nr_active) {
		d->totals.busy += ns;
		share_busy(d, ns);
	} else {
		d->totals.idle += ns;
	}
}

static struct mdisk_server *first_done(struct mdisk *d)
{
	struct mdisk_server *first = NULL;
	u32 i;

	for (i = 0; i < d->nr_servers; i++) {
		struct mdisk_server *srv = &d->server[i];

		if (srv->job && (!first || srv->done < first->done))
			first = srv;
	}
	return first;
}

static struct mdisk_server *first_idle(struct mdisk *d)
{
	u32 i;

	for (i = 0; i < d->nr_servers; i++) {
		if (!d->server[i].job)
			return &d->server[i];
	}
	return NULL;
}

/*
 * Positioning time of a job, weighed down as it ages: a plain shortest-first
 * order starves the far end of the disk, and a plain age limit turns a deep
 * queue into a first-come-first-served one.
 */
static u64 cost(struct mdisk *d, const struct mdisk_job *job, u64 t)
{
	u64 begin = mdisk_access(&d->model, &d->head, max(t, job->ready),
				 &job->span, job->write);

	return (begin - t) * (d->cfg.age_ns - (t - job->arrival));
}

/*
 * The command to serve at @t, and its cost. Only what had arrived by then counts, unless there
 * is nothing else: the handler of the timer may be late.
 */
static struct mdisk_job *choose(struct mdisk *d, u64 t, u64 *least)
{
	struct mdisk_job *job, *best;

	*least = 0;
	best = list_first_entry(&d->waiting, struct mdisk_job, node);
	if (!d->cfg.reorder || d->cfg.ssd || t <= best->arrival ||
	    t - best->arrival >= d->cfg.age_ns)
		return best;
	*least = U64_MAX;
	list_for_each_entry(job, &d->waiting, node) {
		u64 c;

		if (job->arrival > t)
			break;
		c = cost(d, job, t);
		if (c < *least) {
			*least = c;
			best = job;
		}
	}
	return best;
}

/* The job to serve at @t, taken off its list: a command, or a write-back. */
static struct mdisk_job *next_job(struct mdisk *d, u64 t)
{
	struct mdisk_job *job = NULL, *dirty = NULL;
	u64 least = U64_MAX, wait = 0;

	if (!list_empty(&d->waiting))
		job = choose(d, t, &least);
	if (job && job->arrival > t)
		least = U64_MAX;
	if (least == U64_MAX || mdisk_cache_urgent(d))
		dirty = mdisk_cache_pick(d, t, &wait);
	if (dirty && wait * d->cfg.age_ns < least) {
		mdisk_cache_start(d, dirty);
		return dirty;
	}
	if (job) {
		list_del_init(&job->node);
		d->cache.run = 0;
	}
	return job;
}

static u64 ssd_serve(const struct mdisk_config *cfg, u64 t,
		     const struct mdisk_job *job)
{
	t += job->write ? cfg->ssd_write_ns : cfg->ssd_read_ns;
	return t + div_u64((u64)job->nr * cfg->ssd_ps, 1000);
}

static void serve(struct mdisk *d, struct mdisk_server *srv,
		  struct mdisk_job *job, u64 t)
{
	u64 ready = job->writeback ? t : max(t, job->ready);

	srv->start = job->writeback ? t : max(t, job->arrival);
	settle(d, srv->start);
	srv->job = job;
	d->nr_active++;
	if (d->cfg.ssd)
		srv->done = ssd_serve(&d->cfg, ready, job);
	else
		srv->done = mdisk_serve(&d->model, &d->head, ready, &job->span,
					job->write);
}

/* Let whatever is idle at @t turn to what waits for it. */
static void pump(struct mdisk *d, u64 t)
{
	struct mdisk_server *srv;
	struct mdisk_job *job;

	mdisk_cache_admit(d, t);
	while ((srv = first_idle(d)) && (job = next_job(d, t)))
		serve(d, srv, job, t);
}

/* When something ends next, or U64_MAX. */
static u64 next_event(struct mdisk *d)
{
	struct mdisk_server *srv = first_done(d);

	return srv ? min(srv->done, d->cache.due) : d->cache.due;
}

static void arm_timer(struct mdisk *d)
{
	u64 t = next_event(d);

	if (t != U64_MAX)
		hrtimer_start(&d->timer, ns_to_ktime(t), HRTIMER_MODE_ABS);
}

/* A command is complete at @t; its request is ended when the lock is dropped. */
static void complete_cmd(struct mdisk *d, struct mdisk_cmd *cmd, u64 t,
			 struct list_head *done)
{
	struct mdisk_totals *tot = &d->totals;
	u64 from = max(cmd->job.arrival, tot->since);
	u64 response = t > from ? t - from : 0;

	tot->finished++;
	tot->response += response;
	tot->response_max = max(tot->response_max, response);
	if (cmd->status)
		tot->errors++;
	if (cmd->flush)
		tot->flushes++;
	else
		mdisk_count(d, &cmd->job);
	list_add_tail(&cmd->job.node, done);
}

/* The part of a job's service in which its data moved: all but positioning. */
static u64 transfer_time(const struct mdisk_config *cfg,
			 const struct mdisk_job *job, u64 service)
{
	u64 ns = job->span.end - job->span.first;

	if (cfg->ssd)
		ns = div_u64((u64)job->nr * cfg->ssd_ps, 1000);
	return min(ns, service);
}

static void finish(struct mdisk *d, struct mdisk_server *srv,
		   struct list_head *done)
{
	struct mdisk_totals *tot = &d->totals;
	u64 service = srv->done - max(srv->start, tot->since);
	struct mdisk_job *job = srv->job;

	settle(d, srv->done);
	srv->job = NULL;
	d->nr_active--;

	tot->served++;
	tot->service += service;
	tot->service_max = max(tot->service_max, service);
	tot->transfer += transfer_time(&d->cfg, job, service);
	if (job->writeback)
		mdisk_cache_written(d, job);
	else
		complete_cmd(d, container_of(job, struct mdisk_cmd, job),
			     srv->done, done);
}

/* Deal with what has ended at @t. */
static void handle_event(struct mdisk *d, u64 t, struct list_head *done)
{
	struct mdisk_server *srv = first_done(d);
	struct mdisk_cmd *cmd;

	if (srv && srv->done == t) {
		finish(d, srv, done);
	} else {
		cmd = mdisk_cache_taken(d);
		if (cmd)
			complete_cmd(d, cmd, t, done);
	}
	while ((cmd = mdisk_cache_flushed(d)))
		complete_cmd(d, cmd, t, done);
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct mdisk *d = container_of(timer, struct mdisk, timer);
	u64 now = ktime_get_ns(), t;
	struct mdisk_cmd *cmd, *next;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&d->lock, flags);
	while ((t = next_event(d)) <= now) {
		handle_event(d, t, &done);
		pump(d, t);
	}
	arm_timer(d);
	spin_unlock_irqrestore(&d->lock, flags);

	list_for_each_entry_safe(cmd, next, &done, job.node)
		blk_mq_complete_request(blk_mq_rq_from_pdu(cmd));
	return HRTIMER_NORESTART;
}

/**
 * mdisk_submit() - hand a command to the device
 * @d: the disk
 * @cmd: everything but the times is set, its data is moved
 *
 * Context: any but the timer's handler. Takes mdisk.lock. The request may be
 * complete before this returns.
 */
void mdisk_submit(struct mdisk *d, struct mdisk_cmd *cmd)
{
	struct mdisk_job *job = &cmd->job;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	job->arrival = ktime_get_ns();
	job->ready = job->arrival + d->cfg.overhead_ns;
	if (mdisk_cache_accepts(d, cmd))
		list_add_tail(&job->node, &d->cache.incoming);
	else
		list_add_tail(&job->node, &d->waiting);
	/* else the handler is about to run, and goes first */
	if (next_event(d) > job->arrival) {
		pump(d, job->arrival);
		arm_timer(d);
	}
	spin_unlock_irqrestore(&d->lock, flags);
}

/**
 * mdisk_settle_now() - account what is not accounted yet
 * @d: the disk
 *
 * Context: mdisk.lock held. What lies behind the end of a job whose completion
 * is still to be handled stays open.
 */
void mdisk_settle_now(struct mdisk *d)
{
	lockdep_assert_held(&d->lock);
	settle(d, min_t(u64, ktime_get_ns(), next_event(d)));
}

static u64 residence(const struct mdisk *d, const struct mdisk_job *job)
{
	u64 from = max(job->arrival, d->totals.since);

	return d->totals.settled > from ? d->totals.settled - from : 0;
}

static u64 list_residence(const struct mdisk *d, struct list_head *list)
{
	struct mdisk_job *job;
	u64 sum = 0;

	list_for_each_entry(job, list, node)
		sum += residence(d, job);
	return sum;
}

/**
 * mdisk_pending_response() - time so far of the commands not completed
 * @d: the disk
 *
 * Context: mdisk.lock held. Return: their sum since the last reset.
 */
u64 mdisk_pending_response(struct mdisk *d)
{
	u64 sum = list_residence(d, &d->waiting) +
		  list_residence(d, &d->cache.incoming) +
		  list_residence(d, &d->cache.flushes);
	u32 i;

	lockdep_assert_held(&d->lock);
	if (d->cache.taking)
		sum += residence(d, &d->cache.taking->job);
	for (i = 0; i < d->nr_servers; i++) {
		struct mdisk_job *job = d->server[i].job;

		if (job && !job->writeback)
			sum += residence(d, job);
	}
	return sum;
}

/**
 * mdisk_engine_init() - make the engine ready
 * @d: the disk, cfg and model set
 *
 * Context: process, before the disk is visible.
 */
void mdisk_engine_init(struct mdisk *d)
{
	spin_lock_init(&d->lock);
	INIT_LIST_HEAD(&d->waiting);
	d->nr_servers = d->cfg.ssd ? d->cfg.channels : 1;
	d->totals.since = ktime_get_ns();
	d->totals.settled = d->totals.since;
	hrtimer_setup(&d->timer, timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}

/**
 * mdisk_engine_stop() - stop the timer, and whatever is at work
 * @d: the disk; no command is left, but the cache may be dirty
 *
 * Context: process. Nothing refers to the cache any more.
 */
void mdisk_engine_stop(struct mdisk *d)
{
	u32 i;

	hrtimer_cancel(&d->timer);
	WARN_ON(!list_empty(&d->waiting) || !list_empty(&d->cache.incoming));
	spin_lock_irq(&d->lock);
	for (i = 0; i < d->nr_servers; i++)
		d->server[i].job = NULL;
	d->nr_active = 0;
	spin_unlock_irq(&d->lock);
}
