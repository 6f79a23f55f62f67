// SPDX-License-Identifier: GPL-2.0
/*
 * Staging: bios that wait for their turn to become requests.
 *
 * The kernel has one pool of scheduler tags for a disk (64 by default, 8 on a
 * device of depth 4) and hands a freed tag to whoever waited longest.  So the
 * group that is served least piles up requests until it owns the pool, the
 * entitled group has nothing queued, and no order of dispatch can mend that.
 *
 * So a group may hold a part of the tags only.  A bio beyond that is not made
 * to wait inside submit_bio(), where its issuer may hold a journal handle, a
 * page lock, or be the flusher of other groups too: bio_merge() takes it over,
 * as it takes over a bio that it merges.  It waits here, in its queue, and
 * costs no tag; its group counts as having work.  A kernel thread submits it
 * again when the group may have a request: that of the group being served
 * first.
 *
 * What is taken over must not grow without bound, or a flusher would turn all
 * dirty pages of a group into bios, and fsync would wait for them all.  So an
 * asynchronous writer with too much staged is put to sleep where that is safe:
 * it holds no journal handle, does not reclaim memory, may block, and serves
 * one group only.
 *
 * Locking: cfqx_staging.lock gives a stable cfqx_staging.cfqd; it is taken
 * outside cfqx_data.lock.  The work outlives the elevator: on a switch the
 * queue is frozen and the worker may be blocked in submit_bio(), so it cannot
 * be waited for; it is left the bios and a reference, and submits them to
 * whatever scheduler comes next.
 */
#include <linux/cgroup.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include "cfqx.h"

/* An asynchronous writer with more staged than HIGH waits until LOW. */
#define STAGED_HIGH	(4U << 20)
#define STAGED_LOW	(2U << 20)

/* A bio that was let through becomes a request within this time (ns). */
#define TRANSIT_MAX	(100 * NSEC_PER_MSEC)

/* Groups to look at when one is wanted that may have another request. */
#define GROUPS_TRIED	4

/**
 * struct cfqx_staging - submits staged bios of one device
 * @lock: protects @cfqd and @leftover
 * @cfqd: the device, NULL once the elevator left
 * @leftover: bios the elevator left behind
 * @work: the submitting
 * @worker: the task that runs @work now
 * @issuer: on whose behalf it submits
 * @submitting: it has taken bios that are not requests yet
 * @ref: elevator and pending work
 */
struct cfqx_staging {
	spinlock_t lock;	/* cfqd, leftover */
	struct cfqx_data *cfqd;
	struct bio_list leftover;
	struct work_struct work;
	struct task_struct *worker;
	const void *issuer;
	bool submitting;
	struct kref ref;
};

static struct workqueue_struct *staging_wq;

static void staging_free(struct kref *ref)
{
	kfree(container_of(ref, struct cfqx_staging, ref));
}

/* Tags that groups share. */
static unsigned int nr_tags(struct cfqx_data *cfqd)
{
	unsigned int per_hctx = cfqd->rqq->nr_requests;

	if (blk_mq_is_shared_tags(cfqd->rqq->tag_set->flags))
		return per_hctx;
	return per_hctx * cfqd->rqq->nr_hw_queues;
}

static void transit_add(struct cfqx_group *group)
{
	group->transit++;
	group->transit_time = ktime_get_ns();
	group->cfqd->transit++;
}

/* Bios let through may have failed before they became requests. */
static unsigned int transit_of(struct cfqx_group *group)
{
	if (group->transit &&
	    ktime_get_ns() - group->transit_time > TRANSIT_MAX)
		cfqx_transit_clear(group);
	return group->transit;
}

/**
 * cfqx_transit_clear - forget the bios of a group that were let through
 * @group: the group
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_transit_clear(struct cfqx_group *group)
{
	group->cfqd->transit -= group->transit;
	group->transit = 0;
}

/* A bio that was let through became a request. */
static void transit_done(struct cfqx_group *group)
{
	if (!group->transit)
		return;
	group->transit--;
	group->cfqd->transit--;
}

/*
 * May @group have one more request?  Half of the tags are for everybody in
 * equal parts, so that each has something to sort and merge.  The group that
 * is served may have as much again, but always enough for the driver.  What it
 * does not use of that stays its own when its slice ends, hence no more: the
 * next group must find room.  Alone, a group leaves a quarter to whoever comes.
 */
static bool may_hold(struct cfqx_data *cfqd, struct cfqx_group *group)
{
	unsigned int mine = group->tags + transit_of(group);
	unsigned int total = cfqd->tags + cfqd->transit;
	unsigned int busy = cfqd->nr_busy_groups;
	unsigned int nr = nr_tags(cfqd);

	if (total + 1 >= nr)
		return false;
	if (!group->busy)
		busy++;
	if (busy <= 1)
		return mine < nr - nr / 4;
	if (cfqd->serving && cfqd->serving->group == group)
		return mine < max(cfqd->driver_limit, (nr - 1) / busy);
	return mine < nr / 2 / busy;
}

/**
 * cfqx_staging_possible - will a queue's staged bios become requests soon
 * @cfqd: the device
 * @queue: a queue without requests
 *
 * Context: cfqd->lock held.
 */
bool cfqx_staging_possible(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (bio_list_empty(&queue->staged) && !cfqd->staging->submitting)
		return false;
	return cfqd->tags + 1 < nr_tags(cfqd);
}

/* The queue whose first staged bio is to be submitted next, or NULL. */
static struct cfqx_queue *staging_next(struct cfqx_data *cfqd)
{
	struct cfqx_queue *serving = cfqd->serving;
	struct cfqx_group *group;
	unsigned int i;

	if (serving && !bio_list_empty(&serving->staged) &&
	    may_hold(cfqd, serving->group))
		return serving;
	for (i = 0; i < GROUPS_TRIED; i++) {
		group = list_first_entry_or_null(&cfqd->staged_groups,
						 struct cfqx_group,
						 staged_link);
		if (!group)
			return NULL;
		list_move_tail(&group->staged_link, &cfqd->staged_groups);
		if (may_hold(cfqd, group)) {
			list_rotate_left(&group->staged_queues);
			return list_first_entry(&group->staged_queues,
						struct cfqx_queue,
						staged_link);
		}
	}
	return NULL;
}

static struct bio *unstage(struct cfqx_queue *queue)
{
	struct cfqx_group *group = queue->group;
	struct cfqx_data *cfqd = group->cfqd;
	struct bio *bio = bio_list_pop(&queue->staged);

	if (bio_list_empty(&queue->staged))
		list_del_init(&queue->staged_link);
	cfqd->nr_staged--;
	group->staged_bytes -= bio->bi_iter.bi_size;
	if (!--group->nr_staged)
		list_del_init(&group->staged_link);
	if (group->staged_bytes <= STAGED_LOW)
		wake_up(&group->staging_wait);
	cfqx_group_update_busy(group);
	return bio;
}

/* The next bio that may become a request, NULL if there is none now. */
static struct bio *staging_take(struct cfqx_staging *staging)
{
	struct bio *bio = NULL;
	struct cfqx_queue *queue;
	struct cfqx_data *cfqd;

	spin_lock_irq(&staging->lock);
	cfqd = staging->cfqd;
	if (!cfqd) {
		bio = bio_list_pop(&staging->leftover);
		goto out;
	}
	spin_lock(&cfqd->lock);
	cfqx_update_serving(cfqd);
	queue = staging_next(cfqd);
	if (queue) {
		bio = unstage(queue);
		transit_add(queue->group);
		staging->issuer = queue->issuer;
		staging->submitting = true;
		cfqx_queue_put(queue);
	}
	spin_unlock(&cfqd->lock);
out:
	spin_unlock_irq(&staging->lock);
	return bio;
}

/* All that was taken became requests: whoever waited for them may look. */
static void staging_done(struct cfqx_staging *staging)
{
	struct cfqx_data *cfqd;

	spin_lock_irq(&staging->lock);
	WRITE_ONCE(staging->worker, NULL);
	cfqd = staging->cfqd;
	if (cfqd) {
		spin_lock(&cfqd->lock);
		staging->submitting = false;
		spin_unlock(&cfqd->lock);
		blk_mq_run_hw_queues(cfqd->rqq, true);
	}
	spin_unlock_irq(&staging->lock);
}

static void staging_work(struct work_struct *work)
{
	struct cfqx_staging *staging = container_of(work, struct cfqx_staging,
						    work);
	struct blk_plug plug;
	struct bio *bio;

	WRITE_ONCE(staging->worker, current);
	blk_start_plug(&plug);
	while ((bio = staging_take(staging)))
		submit_bio_noacct(bio);
	blk_finish_plug(&plug);
	staging_done(staging);
	kref_put(&staging->ref, staging_free);
}

static void staging_queue_work(struct cfqx_staging *staging)
{
	kref_get(&staging->ref);
	if (!queue_work(staging_wq, &staging->work))
		kref_put(&staging->ref, staging_free);
}

/**
 * cfqx_staging_kick - staged bios may have become admissible
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 */
void cfqx_staging_kick(struct cfqx_data *cfqd)
{
	if (!cfqd->nr_staged)
		return;
	cfqx_update_serving(cfqd);
	if (staging_next(cfqd))
		staging_queue_work(cfqd->staging);
}

/**
 * cfqx_staging_is_worker - is this the thread that submits staged bios
 * @cfqd: the device
 *
 * Context: any task.
 */
bool cfqx_staging_is_worker(const struct cfqx_data *cfqd)
{
	return READ_ONCE(cfqd->staging->worker) == current;
}

/**
 * cfqx_staging_issuer - on whose behalf does the running task submit
 * @cfqd: the device
 *
 * Context: any task.
 */
const void *cfqx_staging_issuer(const struct cfqx_data *cfqd)
{
	if (cfqx_staging_is_worker(cfqd))
		return cfqd->staging->issuer;
	return cfqx_current_issuer();
}

/* What others may be waiting for, or what cannot wait here. */
static bool never_staged(const struct bio *bio)
{
	if (bio->bi_opf & (REQ_META | REQ_PRIO | REQ_SWAP | REQ_POLLED))
		return true;
	return bio_op(bio) != REQ_OP_READ && bio_op(bio) != REQ_OP_WRITE;
}

/* Keep @bio for later; it must not be touched any more afterwards. */
static void stage(struct cfqx_queue *queue, struct bio *bio)
{
	struct cfqx_group *group = queue->group;
	struct cfqx_data *cfqd = group->cfqd;

	/* Nobody waits for the tag it will be submitted for. */
	bio->bi_opf &= ~REQ_NOWAIT;
	cfqx_queue_ref(queue);
	if (bio_list_empty(&queue->staged))
		list_add_tail(&queue->staged_link, &group->staged_queues);
	bio_list_add(&queue->staged, bio);
	if (!group->nr_staged++)
		list_add_tail(&group->staged_link, &cfqd->staged_groups);
	cfqd->nr_staged++;
	group->staged_bytes += bio->bi_iter.bi_size;
	cfqx_group_update_busy(group);
	cfqx_work_arrived(cfqd, queue);
}

/**
 * cfqx_stage_bio - let a bio through, or keep it for later
 * @cfqd: the device
 * @group: the group of @bio
 * @bio: a bio that could not be merged
 *
 * Context: cfqd->lock held, in the task that submits @bio.
 * Return: true if the bio was taken over: it must not be touched any more.
 */
bool cfqx_stage_bio(struct cfqx_data *cfqd, struct cfqx_group *group,
		    struct bio *bio)
{
	struct cfqx_queue *queue;

	if (cfqx_staging_is_worker(cfqd) || never_staged(bio))
		return false;
	queue = cfqx_queue_get(cfqd, group, cfqx_current_issuer(),
			       op_is_sync(bio->bi_opf));
	if (bio_list_empty(&queue->staged) && may_hold(cfqd, group)) {
		if (!(bio->bi_opf & REQ_NOWAIT))
			transit_add(group);
		return false;
	}
	stage(queue, bio);
	cfqx_staging_kick(cfqd);
	return true;
}

/**
 * cfqx_stage_request - let a request in, or take its bios back
 * @cfqd: the device
 * @group: the group of @rq
 * @rq: a request that is being inserted for the first time
 *
 * What cannot be merged (a piece that was split off a bio, say) does not come
 * through bio_merge() and is first seen when it has a tag.
 *
 * Context: cfqd->lock held, in the task that inserts @rq.
 * Return: true if the bios were taken over: the request has none any more and
 * is to be freed.
 */
bool cfqx_stage_request(struct cfqx_data *cfqd, struct cfqx_group *group,
			struct request *rq)
{
	struct cfqx_queue *queue;

	if (cfqx_staging_is_worker(cfqd) || !(rq->cmd_flags & REQ_NOMERGE)) {
		transit_done(group);
		return false;
	}
	if (never_staged(rq->bio))
		return false;
	queue = cfqx_queue_get(cfqd, group, rq->elv.priv[1],
			       op_is_sync(rq->cmd_flags));
	if (bio_list_empty(&queue->staged) && may_hold(cfqd, group))
		return false;
	while (rq->bio) {
		struct bio *bio = rq->bio;

		rq->bio = bio->bi_next;
		bio->bi_next = NULL;
		stage(queue, bio);
	}
	rq->biotail = NULL;
	rq->__data_len = 0;
	cfqx_staging_kick(cfqd);
	return true;
}

/**
 * cfqx_staging_may_throttle - could the submitter of a bio be put to sleep
 * @bio: the bio, before it is given to cfqx_stage_bio()
 *
 * Context: the task that submits @bio.
 */
bool cfqx_staging_may_throttle(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_WRITE && !op_is_sync(bio->bi_opf) &&
	       !(bio->bi_opf & REQ_NOWAIT) && !current->journal_info &&
	       !(current->flags & PF_MEMALLOC) &&
	       cgroup_subsys_on_dfl(io_cgrp_subsys);
}

/**
 * cfqx_staging_throttle - wait until a group has less staged
 * @cfqd: the device
 * @group: the group of the bio that was just staged
 *
 * The submitter has entered the queue, so a switch of the scheduler waits for
 * it while staged bios wait for the switch: hence the look at the queue's
 * state.  Drops the caller's reference on @group.
 *
 * Context: process, no locks held.
 */
void cfqx_staging_throttle(struct cfqx_data *cfqd, struct cfqx_group *group)
{
	DEFINE_WAIT(wait);

	spin_lock_irq(&cfqd->lock);
	if (group->staged_bytes <= STAGED_HIGH)
		goto put;
	while (group->staged_bytes > STAGED_LOW) {
		prepare_to_wait(&group->staging_wait, &wait,
				TASK_UNINTERRUPTIBLE);
		spin_unlock_irq(&cfqd->lock);
		io_schedule_timeout(HZ / 20);
		spin_lock_irq(&cfqd->lock);
		if (percpu_ref_is_dying(&cfqd->rqq->q_usage_counter))
			break;
	}
	finish_wait(&group->staging_wait, &wait);
put:
	cfqx_group_put(group);
	spin_unlock_irq(&cfqd->lock);
}

/**
 * cfqx_staging_create - start staging on a device
 * @cfqd: the device
 *
 * Return: 0 or -ENOMEM.
 */
int cfqx_staging_create(struct cfqx_data *cfqd)
{
	struct cfqx_staging *staging;

	staging = kzalloc_node(sizeof(*staging), GFP_KERNEL, cfqd->rqq->node);
	if (!staging)
		return -ENOMEM;
	spin_lock_init(&staging->lock);
	bio_list_init(&staging->leftover);
	INIT_WORK(&staging->work, staging_work);
	kref_init(&staging->ref);
	staging->cfqd = cfqd;
	cfqd->staging = staging;
	return 0;
}

/**
 * cfqx_staging_detach - the elevator leaves the device
 * @cfqd: the device, its queue frozen
 *
 * Staged bios are submitted again once the queue is in use.
 *
 * Context: process.
 */
void cfqx_staging_detach(struct cfqx_data *cfqd)
{
	struct cfqx_staging *staging = cfqd->staging;
	struct cfqx_group *group;

	spin_lock_irq(&staging->lock);
	spin_lock(&cfqd->lock);
	cfqx_idling_drop(cfqd);
	while ((group = list_first_entry_or_null(&cfqd->staged_groups,
						 struct cfqx_group,
						 staged_link))) {
		struct cfqx_queue *queue;

		queue = list_first_entry(&group->staged_queues,
					 struct cfqx_queue, staged_link);
		bio_list_add(&staging->leftover, unstage(queue));
		if (bio_list_empty(&queue->staged)) {
			cfqx_queue_deactivate(cfqd, queue);
			list_del_init(&queue->stalled_link);
		}
		cfqx_queue_put(queue);
	}
	staging->cfqd = NULL;
	spin_unlock(&cfqd->lock);
	spin_unlock_irq(&staging->lock);

	staging_queue_work(staging);
	kref_put(&staging->ref, staging_free);
	cfqd->staging = NULL;
}

/**
 * cfqx_staging_init - set up what all devices share
 *
 * Return: 0 or -ENOMEM.
 */
int __init cfqx_staging_init(void)
{
	staging_wq = alloc_workqueue("cfqx", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				     WQ_UNBOUND, 0);
	return staging_wq ? 0 : -ENOMEM;
}

/**
 * cfqx_staging_exit - wait for all that elevators left behind
 */
void cfqx_staging_exit(void)
{
	destroy_workqueue(staging_wq);
}
