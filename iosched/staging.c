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
 * Bios are submitted one by one: each is a request, or part of one, before the
 * next is taken.  Whenever a tag is freed, a bio staged, or the queue that is
 * served changes, the thread is woken if there is a bio it may take.  If there
 * is none although no request is left whose end could change that, it looks
 * again after a while.
 *
 * A bio that comes back is counted by the core once more, so what it counted in
 * io.stat the first time is taken back.  Against a limit of io.max on operations
 * it counts twice.
 *
 * Locking: cfqx_staging.lock gives a stable cfqx_staging.cfqd; it is taken
 * outside cfqx_data.lock.  The work outlives the elevator: on a switch the
 * queue is frozen and the worker may be blocked in submit_bio(), so it cannot
 * be waited for; it is left the bios and a reference, and submits them to
 * whatever scheduler comes next.  Each device has a workqueue of its own, so
 * that devices stacked on each other do not wait for one rescuer thread.
 */
#include <linux/backing-dev.h>
#include <linux/cgroup.h>
#include <linux/kref.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "cfqx.h"

/* An asynchronous writer with more staged than HIGH waits until LOW. */
#define STAGED_HIGH	SZ_2M
#define STAGED_LOW	SZ_1M

/* A bio that was let through becomes a request within this time (ns), or not. */
#define TRANSIT_MAX	(100 * NSEC_PER_MSEC)

/* When to look again (ms) if nothing may be submitted and nothing is under way. */
#define LOOK_AGAIN	10

/* Groups to look at when one is wanted that may have another request. */
#define GROUPS_TRIED	4

/**
 * struct cfqx_staging - submits staged bios of one device
 * @lock: protects @cfqd and @leftover
 * @cfqd: the device, NULL once the elevator left
 * @leftover: bios the elevator left behind
 * @disk: the disk, which a staged bio may outlive otherwise
 * @wq: runs @work
 * @work: the submitting
 * @free_work: frees this, which @work cannot do itself
 * @worker: the task that runs @work now
 * @issuer: on whose behalf it submits
 * @submitting: it has taken bios that are not requests yet
 * @ref: elevator and pending work
 */
struct cfqx_staging {
	spinlock_t lock;	/* cfqd, leftover */
	struct cfqx_data *cfqd;
	struct bio_list leftover;
	struct gendisk *disk;
	struct workqueue_struct *wq;
	struct delayed_work work;
	struct work_struct free_work;
	struct task_struct *worker;
	const void *issuer;
	bool submitting;
	struct kref ref;
};

static struct workqueue_struct *free_wq;
static atomic_t nr_stagings;
static DECLARE_WAIT_QUEUE_HEAD(no_stagings);

static void staging_free_work(struct work_struct *work)
{
	struct cfqx_staging *staging = container_of(work, struct cfqx_staging,
						    free_work);

	destroy_workqueue(staging->wq);
	put_device(disk_to_dev(staging->disk));
	kfree(staging);
	if (atomic_dec_and_test(&nr_stagings))
		wake_up(&no_stagings);
}

static void staging_free(struct kref *ref)
{
	struct cfqx_staging *staging = container_of(ref, struct cfqx_staging,
						    ref);

	queue_work(free_wq, &staging->free_work);
}

/* Tags that groups share. */
static unsigned int nr_tags(struct cfqx_data *cfqd)
{
	unsigned int per_hctx = cfqd->rqq->nr_requests;

	if (blk_mq_is_shared_tags(cfqd->rqq->tag_set->flags))
		return per_hctx;
	return per_hctx * cfqd->rqq->nr_hw_queues;
}

/*
 * Bios that were let through are counted until they are requests.  Some never
 * are (they fail, or end as part of another request), so the count is only
 * believed for a while after it last grew.
 */
static void transit_check(struct cfqx_data *cfqd)
{
	if (!cfqd->transit ||
	    ktime_get_ns() - cfqd->transit_time <= TRANSIT_MAX)
		return;
	cfqd->transit = 0;
	cfqd->transit_epoch++;
}

static unsigned int transit_of(struct cfqx_group *group)
{
	if (group->transit_epoch != group->cfqd->transit_epoch) {
		group->transit_epoch = group->cfqd->transit_epoch;
		group->transit = 0;
	}
	return group->transit;
}

static void transit_add(struct cfqx_group *group)
{
	group->transit = transit_of(group) + 1;
	group->cfqd->transit++;
	group->cfqd->transit_time = ktime_get_ns();
}

/**
 * cfqx_transit_done - a bio that was let through became a request
 * @group: its group
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_transit_done(struct cfqx_group *group)
{
	if (!transit_of(group))
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
	unsigned int busy = cfqd->nr_busy_groups;
	unsigned int nr = nr_tags(cfqd);
	unsigned int mine;

	transit_check(cfqd);
	mine = group->tags + transit_of(group);
	if (cfqd->tags + cfqd->transit + 1 >= nr)
		return false;
	if (!group->busy)
		busy++;
	if (busy <= 1)
		return mine < nr - nr / 4;
	if (!cfqd->serving || cfqd->serving->group != group)
		return mine < nr / 2 / busy;
	if (cfqd->draining)
		return false;
	return mine < max(cfqd->driver_limit, (nr - 1) / busy);
}

/**
 * cfqx_tags_scarce - are there too few tags to leave some behind
 * @cfqd: the device
 *
 * A device of depth 4 has eight.  If each of many groups keeps one or two when
 * its turn ends, those whose turn comes find none, and go without.
 *
 * Context: cfqd->lock held.
 */
bool cfqx_tags_scarce(struct cfqx_data *cfqd)
{
	return 2 * cfqd->nr_busy_groups + 1 >= nr_tags(cfqd);
}

/* Is there a tag left, not counting the one that is kept for the journal? */
static bool tag_is_free(struct cfqx_data *cfqd)
{
	return cfqd->tags + 1 < nr_tags(cfqd);
}

/**
 * cfqx_staging_possible - will a queue's staged bios become requests soon
 * @cfqd: the device
 * @queue: the queue that is served, without requests
 *
 * Context: cfqd->lock held.
 * Return: true if the submitting thread has one of its bios, or may take one
 * (see staging_next()); false too if the queue is frozen, which holds up that
 * thread until the requests of all others are done.
 */
bool cfqx_staging_possible(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (percpu_ref_is_dying(&cfqd->rqq->q_usage_counter))
		return false;
	if (cfqd->staging->submitting)
		return true;
	return !bio_list_empty(&queue->staged) && tag_is_free(cfqd);
}

/*
 * The queue whose first staged bio is to be submitted next, or NULL.  One that
 * keeps the device waiting may have any tag there is.
 */
static struct cfqx_queue *staging_next(struct cfqx_data *cfqd)
{
	struct cfqx_queue *serving = cfqd->serving;
	struct cfqx_group *group;
	unsigned int i;

	if (serving && !cfqd->draining && !bio_list_empty(&serving->staged) &&
	    (may_hold(cfqd, serving->group) ||
	     (!serving->nr_queued && tag_is_free(cfqd))))
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
	cfqx_stats_wait_end(queue, bio->bi_opf, ktime_get_ns());
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
		staging->issuer = queue->issuer;
		staging->submitting = true;
		cfqx_queue_put(queue);
	}
	spin_unlock(&cfqd->lock);
out:
	spin_unlock_irq(&staging->lock);
	return bio;
}

/* What was taken is a request now: whoever waited for it may look. */
static void staging_submitted(struct cfqx_staging *staging)
{
	struct cfqx_data *cfqd;

	spin_lock_irq(&staging->lock);
	cfqd = staging->cfqd;
	if (cfqd) {
		spin_lock(&cfqd->lock);
		staging->submitting = false;
		cfqx_resume_stalled(cfqd);
		spin_unlock(&cfqd->lock);
	}
	spin_unlock_irq(&staging->lock);
}

/* Nothing may be taken any more: say so, and see whether that has to end. */
static void staging_pause(struct cfqx_staging *staging)
{
	struct cfqx_data *cfqd;

	spin_lock_irq(&staging->lock);
	WRITE_ONCE(staging->worker, NULL);
	cfqd = staging->cfqd;
	if (cfqd) {
		spin_lock(&cfqd->lock);
		cfqx_staging_kick(cfqd);
		spin_unlock(&cfqd->lock);
		blk_mq_run_hw_queues(cfqd->rqq, true);
	}
	spin_unlock_irq(&staging->lock);
}

static void staging_work(struct work_struct *work)
{
	struct cfqx_staging *staging = container_of(to_delayed_work(work),
						    struct cfqx_staging, work);
	struct bio *bio;

	WRITE_ONCE(staging->worker, current);
	while ((bio = staging_take(staging))) {
		submit_bio_noacct(bio);
		staging_submitted(staging);
	}
	staging_pause(staging);
	kref_put(&staging->ref, staging_free);
}

/* Run the work now; each time it is pending or runs it holds a reference. */
static void staging_wake(struct cfqx_staging *staging)
{
	kref_get(&staging->ref);
	if (mod_delayed_work(staging->wq, &staging->work, 0))
		kref_put(&staging->ref, staging_free);
}

static void staging_wake_later(struct cfqx_staging *staging)
{
	kref_get(&staging->ref);
	if (!queue_delayed_work(staging->wq, &staging->work,
				msecs_to_jiffies(LOOK_AGAIN)))
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
		staging_wake(cfqd->staging);
	else if (!cfqd->tags)
		staging_wake_later(cfqd->staging);
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

/*
 * What others may be waiting for, or what cannot wait here.  A hidden disk is a
 * path of a multipath device, which holds no reference on it for its bios.
 */
static bool never_staged(struct cfqx_data *cfqd, const struct bio *bio)
{
	if (cfqd->rqq->disk->flags & GENHD_FL_HIDDEN)
		return true;
	if (bio->bi_opf & (REQ_META | REQ_PRIO | REQ_SWAP | REQ_POLLED))
		return true;
	if (cfqx_is_journal_thread())
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
	cfqx_bio_uncount(bio);
	cfqx_queue_ref(queue);
	if (bio_list_empty(&queue->staged))
		list_add_tail(&queue->staged_link, &group->staged_queues);
	bio_list_add(&queue->staged, bio);
	if (!group->nr_staged++)
		list_add_tail(&group->staged_link, &cfqd->staged_groups);
	cfqd->nr_staged++;
	cfqx_stats_wait_begin(queue, bio->bi_opf, ktime_get_ns());
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

	if (cfqx_staging_is_worker(cfqd) || never_staged(cfqd, bio))
		return false;
	queue = cfqx_queue_get(cfqd, group, cfqx_current_issuer(),
			       cfqx_priority(bio_prio(bio)),
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

/*
 * A kernel thread may write for everybody: a dm target's, a raid's.  Only the
 * flusher of a file system right on this disk, or of the disk's own pages,
 * serves one group at a time.
 */
static bool is_flusher_of(struct cfqx_data *cfqd, struct bio *bio)
{
	struct inode *inode = cfqx_writeback_inode(bio);

	return inode && inode_to_bdi(inode) == cfqd->rqq->disk->bdi;
}

/**
 * cfqx_staging_may_throttle - could the submitter of a bio be put to sleep
 * @cfqd: the device
 * @bio: the bio, before it is given to cfqx_stage_bio()
 *
 * Context: the task that submits @bio.
 */
bool cfqx_staging_may_throttle(struct cfqx_data *cfqd, struct bio *bio)
{
	return bio_op(bio) == REQ_OP_WRITE && !op_is_sync(bio->bi_opf) &&
	       !(bio->bi_opf & REQ_NOWAIT) && !current->journal_info &&
	       !(current->flags & PF_MEMALLOC) &&
	       cgroup_subsys_on_dfl(io_cgrp_subsys) &&
	       (!(current->flags & PF_KTHREAD) || is_flusher_of(cfqd, bio));
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
	staging->disk = cfqd->rqq->disk;
	staging->wq = alloc_ordered_workqueue("cfqx/%s", WQ_MEM_RECLAIM |
					      WQ_HIGHPRI,
					      staging->disk->disk_name);
	if (!staging->wq) {
		kfree(staging);
		return -ENOMEM;
	}
	atomic_inc(&nr_stagings);
	get_device(disk_to_dev(staging->disk));
	spin_lock_init(&staging->lock);
	bio_list_init(&staging->leftover);
	INIT_DELAYED_WORK(&staging->work, staging_work);
	INIT_WORK(&staging->free_work, staging_free_work);
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

	staging_wake(staging);
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
	free_wq = alloc_workqueue("cfqx_free", 0, 0);
	return free_wq ? 0 : -ENOMEM;
}

/**
 * cfqx_staging_exit - wait for all that elevators left behind
 *
 * Context: process; no device uses cfqx any more.
 */
void cfqx_staging_exit(void)
{
	wait_event(no_stagings, !atomic_read(&nr_stagings));
	/* Runs what was queued, the last of it included. */
	destroy_workqueue(free_wq);
}
