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
 * The job to serve at @t. Only what had arrived by then counts, unless there is
 * nothing else: the handler of the timer may be late.
 */
static struct mdisk_job *choose(struct mdisk *d, u64 t)
{
	struct mdisk_job *job, *best;
	u64 least = U64_MAX;

	best = list_first_entry(&d->waiting, struct mdisk_job, node);
	if (!d->cfg.reorder || d->cfg.ssd || t <= best->arrival ||
	    t - best->arrival >= d->cfg.age_ns)
		return best;
	list_for_each_entry(job, &d->waiting, node) {
		u64 c;

		if (job->arrival > t)
			break;
		c = cost(d, job, t);
		if (c < least) {
			least = c;
			best = job;
		}
	}
	return best;
}

static u64 ssd_serve(const struct mdisk_config *cfg, u64 t,
		     const struct mdisk_job *job)
{
	t += job->write ? cfg->ssd_write_ns : cfg->ssd_read_ns;
	return t + div_u64((u64)job->nr * cfg->ssd_ps, 1000);
}

/* Let idle servers turn to waiting jobs at @t. */
static void start_waiting(struct mdisk *d, u64 t)
{
	struct mdisk_server *srv;

	while (!list_empty(&d->waiting) && (srv = first_idle(d))) {
		struct mdisk_job *job = choose(d, t);
		u64 ready = max(t, job->ready);

		list_del_init(&job->node);
		srv->start = max(t, job->arrival);
		settle(d, srv->start);
		srv->job = job;
		d->nr_active++;
		if (d->cfg.ssd)
			srv->done = ssd_serve(&d->cfg, ready, job);
		else
			srv->done = mdisk_serve(&d->model, &d->head, ready,
						&job->span, job->write);
	}
}

static void arm_timer(struct mdisk *d)
{
	struct mdisk_server *srv = first_done(d);

	if (srv)
		hrtimer_start(&d->timer, ns_to_ktime(srv->done),
			      HRTIMER_MODE_ABS);
}

static void finish(struct mdisk *d, struct mdisk_server *srv,
		   struct list_head *done)
{
	struct mdisk_cmd *cmd = container_of(srv->job, struct mdisk_cmd, job);
	struct mdisk_totals *tot = &d->totals;
	u64 service = srv->done - max(srv->start, tot->since);
	u64 response = srv->done - max(cmd->job.arrival, tot->since);

	settle(d, srv->done);
	srv->job = NULL;
	d->nr_active--;

	tot->served++;
	tot->service += service;
	tot->service_max = max(tot->service_max, service);
	tot->finished++;
	tot->response += response;
	tot->response_max = max(tot->response_max, response);
	if (cmd->status)
		tot->errors++;
	mdisk_count(d, &cmd->job);
	list_add_tail(&cmd->job.node, done);
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct mdisk *d = container_of(timer, struct mdisk, timer);
	u64 now = ktime_get_ns();
	struct mdisk_cmd *cmd, *next;
	struct mdisk_server *srv;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&d->lock, flags);
	while ((srv = first_done(d)) && srv->done <= now) {
		u64 t = srv->done;

		finish(d, srv, &done);
		start_waiting(d, t);
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
 * @cmd: its job's sectors, direction and span are set, its data is moved
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
	list_add_tail(&job->node, &d->waiting);
	if (d->nr_active < d->nr_servers) {
		start_waiting(d, job->arrival);
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
	struct mdisk_server *srv = first_done(d);
	u64 now = ktime_get_ns();

	lockdep_assert_held(&d->lock);
	settle(d, srv ? min(now, srv->done) : now);
}

static u64 residence(const struct mdisk *d, const struct mdisk_job *job)
{
	u64 from = max(job->arrival, d->totals.since);

	return d->totals.settled > from ? d->totals.settled - from : 0;
}

/**
 * mdisk_pending_response() - time so far of the commands not completed
 * @d: the disk
 *
 * Context: mdisk.lock held. Return: their sum since the last reset.
 */
u64 mdisk_pending_response(struct mdisk *d)
{
	struct mdisk_job *job;
	u64 sum = 0;
	u32 i;

	lockdep_assert_held(&d->lock);
	list_for_each_entry(job, &d->waiting, node)
		sum += residence(d, job);
	for (i = 0; i < d->nr_servers; i++) {
		if (d->server[i].job)
			sum += residence(d, d->server[i].job);
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
 * mdisk_engine_stop() - stop the timer
 * @d: the disk; no command is left
 *
 * Context: process.
 */
void mdisk_engine_stop(struct mdisk *d)
{
	WARN_ON(d->nr_active || !list_empty(&d->waiting));
	hrtimer_cancel(&d->timer);
}
