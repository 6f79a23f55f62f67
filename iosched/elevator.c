// SPDX-License-Identifier: GPL-2.0
/*
 * The elevator: what the block layer calls, and the module.
 *
 * This file, blkcg.c, stats.c, staging.c and journal.c are the only ones that
 * know the kernel's interfaces; what differs between kernels is in
 * compat/blk-private.h.
 *
 * Locking: takes cfqx_data.lock (interrupts off) around everything that looks
 * at scheduler state.  See cfqx.h for the order.
 */
#include <linux/slab.h>
#include <trace/events/block.h>

#include "cfqx.h"

static inline struct cfqx_data *cfqx_of(struct request_queue *q)
{
	return q->elevator->elevator_data;
}

/* Find the queue a request belongs to, and who pays for it. */
static struct cfqx_queue *assign_queue(struct cfqx_data *cfqd,
				       struct cfqx_group *group,
				       struct request *rq, u64 now)
{
	bool sync = op_is_sync(rq->cmd_flags);
	struct cfqx_queue *queue;

	if (cfqx_writers_pay(cfqd, group, rq)) {
		queue = cfqx_journal_queue(cfqd, group, rq, now);
	} else {
		cfqx_note_writer(cfqd, group, rq);
		queue = cfqx_queue_get(cfqd, group, rq->elv.priv[1],
				       cfqx_priority(req_get_ioprio(rq)), sync);
		rq->elv.priv[1] = NULL;
	}
	cfqx_queue_ref(queue);
	rq->elv.priv[0] = (void *)((unsigned long)queue |
				   (unsigned long)rq->elv.priv[0]);
	if (queue != &cfqd->journal)
		cfqx_transit_done(group);
	queue->group->tags++;
	cfqd->tags++;
	cfqx_group_update_busy(queue->group);
	return queue;
}

static void insert_request(struct cfqx_data *cfqd, struct request *rq,
			   bool at_head, struct list_head *free)
{
	struct cfqx_group *group;
	struct cfqx_queue *queue;
	u64 now;

	group = rq->bio ? cfqx_bio_group(cfqd, rq->bio) : cfqd->root;
	if (blk_mq_sched_try_insert_merge(cfqd->rqq, rq, free)) {
		cfqx_stats_merged(group, rq->cmd_flags);
		cfqx_transit_done(group);
		return;
	}
	if (at_head || !cfqx_rq_managed(rq) || blk_rq_is_passthrough(rq) ||
	    !rq->bio) {
		trace_block_rq_insert(rq);
		if (at_head)
			list_add(&rq->queuelist, &cfqd->dispatch);
		else
			list_add_tail(&rq->queuelist, &cfqd->dispatch);
		return;
	}
	now = ktime_get_ns();
	queue = cfqx_rq_queue(rq);
	if (!queue) {
		queue = assign_queue(cfqd, group, rq, now);
		cfqx_queue_note_arrival(cfqd, queue, blk_rq_pos(rq),
					blk_rq_sectors(rq), now);
	}
	trace_block_rq_insert(rq);
	rq->fifo_time = now;
	cfqx_queue_add(cfqd, queue, rq);
	if (queue == &cfqd->journal)
		cfqx_idling_pause(cfqd);
	else
		cfqx_work_arrived(cfqd, queue);
}

static void free_merged(struct list_head *free)
{
	struct request *rq;

	while ((rq = list_first_entry_or_null(free, struct request,
					      queuelist))) {
		list_del_init(&rq->queuelist);
		blk_mq_free_request(rq);
	}
}

/* v6.5: flags instead of a bool; the one that is known to us is bit 0. */
#ifdef CFQX_OP_insert_requests_ARG3_blk_insert_t
static void cfqx_insert_requests(struct blk_mq_hw_ctx *hctx,
				 struct list_head *list, blk_insert_t flag)
#else
static void cfqx_insert_requests(struct blk_mq_hw_ctx *hctx,
				 struct list_head *list, bool flag)
#endif
{
	bool at_head = (__force u32)flag & 1;
	struct cfqx_data *cfqd = cfqx_of(hctx->queue);
	unsigned long flags;
	LIST_HEAD(free);

	spin_lock_irqsave(&cfqd->lock, flags);
	while (!list_empty(list)) {
		struct request *rq = list_first_entry(list, struct request,
						      queuelist);

		list_del_init(&rq->queuelist);
		insert_request(cfqd, rq, at_head, &free);
	}
	spin_unlock_irqrestore(&cfqd->lock, flags);
	free_merged(&free);
}

static struct request *cfqx_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct cfqx_data *cfqd = cfqx_of(hctx->queue);
	struct request *rq;

	spin_lock_irq(&cfqd->lock);
	rq = cfqx_dispatch_next(cfqd);
	cfqx_staging_kick(cfqd);
	spin_unlock_irq(&cfqd->lock);
	return rq;
}

static bool cfqx_has_work(struct blk_mq_hw_ctx *hctx)
{
	return cfqx_may_dispatch(cfqx_of(hctx->queue));
}

static void cfqx_prepare_request(struct request *rq)
{
	rq->elv.priv[0] = NULL;
	rq->elv.priv[1] = (void *)cfqx_staging_issuer(cfqx_of(rq->q));
}

static void cfqx_completed_request(struct request *rq, u64 now)
{
	struct cfqx_data *cfqd = cfqx_of(rq->q);
	unsigned long flags;
	bool run;

	spin_lock_irqsave(&cfqd->lock, flags);
	if (cfqx_rq_managed(rq) && cfqx_rq_test(rq, CFQX_RQ_DISPATCHED))
		run = cfqx_complete(cfqd, rq, now);
	else
		run = cfqx_complete_foreign(cfqd, rq, now);
	spin_unlock_irqrestore(&cfqd->lock, flags);
	if (run)
		blk_mq_run_hw_queues(cfqd->rqq, true);
}

static void cfqx_requeue_request(struct request *rq)
{
	struct cfqx_data *cfqd = cfqx_of(rq->q);
	unsigned long flags;

	if (!cfqx_rq_test(rq, CFQX_RQ_DISPATCHED))
		return;
	spin_lock_irqsave(&cfqd->lock, flags);
	cfqx_requeue(cfqd, rq);
	spin_unlock_irqrestore(&cfqd->lock, flags);
}

static void cfqx_finish_request(struct request *rq)
{
	struct cfqx_queue *queue = cfqx_rq_queue(rq);
	struct cfqx_data *cfqd = cfqx_of(rq->q);
	struct cfqx_group *group;
	unsigned long flags;

	if (!queue)
		return;
	spin_lock_irqsave(&cfqd->lock, flags);
	if (cfqx_rq_test(rq, CFQX_RQ_DISPATCHED))
		cfqx_requeue(cfqd, rq);
	rq->elv.priv[0] = NULL;
	group = queue->group;
	group->tags--;
	cfqd->tags--;
	cfqx_group_update_busy(group);
	cfqx_queue_put(queue);
	cfqx_resume_stalled(cfqd);
	cfqx_staging_kick(cfqd);
	spin_unlock_irqrestore(&cfqd->lock, flags);
}

/* Merging: within a group and a direction of sync only. */

static bool cfqx_allow_merge(struct request_queue *q, struct request *rq,
			     struct bio *bio)
{
	return rq->bio && rq->bio->bi_blkg == bio->bi_blkg &&
	       op_is_sync(rq->cmd_flags) == op_is_sync(bio->bi_opf);
}

static bool cfqx_bio_merge(struct request_queue *q, struct bio *bio,
			   unsigned int nr_segs)
{
	blk_opf_t opf = bio->bi_opf;
	struct cfqx_data *cfqd = cfqx_of(q);
	bool may_throttle = cfqx_staging_may_throttle(cfqd, bio);
	struct request *free = NULL;
	struct cfqx_group *group;
	bool merged, staged = false;

	spin_lock_irq(&cfqd->lock);
	group = cfqx_bio_group(cfqd, bio);
	cfqd->bio_queue = cfqx_queue_find(cfqd, group,
					  cfqx_staging_issuer(cfqd),
					  cfqx_priority(bio_prio(bio)),
					  op_is_sync(opf));
	merged = blk_mq_sched_try_merge(q, bio, nr_segs, &free);
	cfqd->bio_queue = NULL;
	if (merged) {
		cfqx_stats_merged(group, opf);
	} else {
		staged = cfqx_stage_bio(cfqd, group, bio);
		if (staged && may_throttle)
			cfqx_group_get(group);
	}
	spin_unlock_irq(&cfqd->lock);

	if (free)
		blk_mq_free_request(free);
	/* It may have ended an idle period that others were waiting for. */
	if (staged && cfqx_may_dispatch(cfqd))
		blk_mq_run_hw_queues(q, true);
	if (staged && may_throttle)
		cfqx_staging_throttle(cfqd, group);
	return merged || staged;
}

static int cfqx_request_merge(struct request_queue *q, struct request **req,
			      struct bio *bio)
{
	struct cfqx_data *cfqd = cfqx_of(q);
	struct request *rq;

	if (!cfqd->bio_queue)
		return ELEVATOR_NO_MERGE;
	rq = elv_rb_find(&cfqd->bio_queue->sort_list, bio_end_sector(bio));
	if (!rq || req_op(rq) == REQ_OP_DISCARD || !elv_bio_merge_ok(rq, bio))
		return ELEVATOR_NO_MERGE;
	*req = rq;
	return ELEVATOR_FRONT_MERGE;
}

/*
 * A front merge moved the start of a request: keep it sorted.  A back merge moved
 * its end: what follows there is no seek.
 */
static void cfqx_request_merged(struct request_queue *q, struct request *rq,
				enum elv_merge type)
{
	struct cfqx_queue *queue = cfqx_rq_queue(rq);

	if (!queue)
		return;
	if (type == ELEVATOR_BACK_MERGE)
		queue->last_arrival = blk_rq_pos(rq) + blk_rq_sectors(rq);
	if (type != ELEVATOR_FRONT_MERGE)
		return;
	elv_rb_del(&queue->sort_list, rq);
	elv_rb_add(&queue->sort_list, rq);
}

/* @next became part of @rq. */
static void cfqx_requests_merged(struct request_queue *q, struct request *rq,
				 struct request *next)
{
	struct cfqx_queue *queue = cfqx_rq_queue(next);
	struct cfqx_data *cfqd = cfqx_of(q);

	if (!queue || !cfqx_rq_test(next, CFQX_RQ_QUEUED))
		return;
	if (queue == cfqx_rq_queue(rq) && next->fifo_time < rq->fifo_time) {
		list_move(&rq->queuelist, &next->queuelist);
		rq->fifo_time = next->fifo_time;
	}
	cfqx_stats_merged(queue->group, next->cmd_flags);
	cfqx_queue_remove(cfqd, queue, next, ktime_get_ns());
	if (queue != &cfqd->journal && cfqd->idling != queue &&
	    !cfqx_queue_has_work(queue))
		cfqx_queue_deactivate(cfqd, queue);
}

static void free_data(struct cfqx_data *cfqd)
{
	hrtimer_cancel(&cfqd->journal_timer);
	hrtimer_cancel(&cfqd->idle_timer);
	if (cfqd->staging)
		cfqx_staging_detach(cfqd);
	hrtimer_cancel(&cfqd->idle_timer);
	cfqx_policy_detach(cfqd);
	kfree(cfqd);
}

static atomic64_t generation;

static struct cfqx_data *alloc_data(struct request_queue *q)
{
	bool shared = blk_queue_nonrot(q);
	struct cfqx_data *cfqd;

	cfqd = kzalloc_node(sizeof(*cfqd), GFP_KERNEL, q->node);
	if (!cfqd)
		return NULL;
	spin_lock_init(&cfqd->lock);
	cfqd->rqq = q;
	cfqd->generation = atomic64_inc_return(&generation);
	hash_init(cfqd->queue_hash);
	INIT_LIST_HEAD(&cfqd->dispatch);
	INIT_LIST_HEAD(&cfqd->staged_groups);
	INIT_LIST_HEAD(&cfqd->stalled);
	INIT_LIST_HEAD(&cfqd->waiting_groups);
	cfqd->helped_at = jiffies;
	cfqd->hw_depth = q->tag_set->queue_depth;
	cfqd->driver_limit = 1;
	cfqx_time_init(&cfqd->clock, ktime_get_ns(), shared);
	cfqx_timer_setup(&cfqd->idle_timer, cfqx_idle_timer);
	cfqx_timer_setup(&cfqd->journal_timer, cfqx_journal_timer);
	cfqx_tunables_init(cfqd);
	if (cfqx_staging_create(cfqd)) {
		kfree(cfqd);
		return NULL;
	}
	return cfqd;
}

#ifdef CFQX_OP_init_sched_ARG2_elevator_type
static int cfqx_init_sched(struct request_queue *q, struct elevator_type *e)
{
	struct elevator_queue *eq = elevator_alloc(q, e);
#else
static int cfqx_init_sched(struct request_queue *q, struct elevator_queue *eq)
{
#endif
	struct cfqx_data *cfqd;
	int err = -ENOMEM;

	if (!eq)
		return err;
	cfqd = alloc_data(q);
	if (!cfqd)
		goto put;
	eq->elevator_data = cfqd;
	spin_lock_irq(&q->queue_lock);
	q->elevator = eq;
	spin_unlock_irq(&q->queue_lock);

	err = cfqx_policy_attach(cfqd);
	if (err) {
		free_data(cfqd);
		goto put;
	}
	cfqx_queue_init(&cfqd->journal, cfqd->root, cfqx_priority(0), true);
	cfqd->journal.embedded = true;
	/* One order for the whole device, whatever its hardware queues. */
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	cfqx_wbt_off(cfqd);
	cfqx_debugfs_attach(cfqd);
	return 0;
put:
#ifdef CFQX_OP_init_sched_ARG2_elevator_type
	kobject_put(&eq->kobj);
#endif
	return err;
}

static void cfqx_exit_sched(struct elevator_queue *eq)
{
	struct cfqx_data *cfqd = eq->elevator_data;

	cfqx_debugfs_detach(cfqd);
	WARN_ON_ONCE(cfqd->queued || cfqd->tags);
	cfqx_wbt_restore(cfqd);
	free_data(cfqd);
}

static struct elevator_type cfqx_elevator = {
	.ops = {
		.init_sched		= cfqx_init_sched,
		.exit_sched		= cfqx_exit_sched,
		.allow_merge		= cfqx_allow_merge,
		.bio_merge		= cfqx_bio_merge,
		.request_merge		= cfqx_request_merge,
		.request_merged		= cfqx_request_merged,
		.requests_merged	= cfqx_requests_merged,
		.prepare_request	= cfqx_prepare_request,
		.finish_request		= cfqx_finish_request,
		.insert_requests	= cfqx_insert_requests,
		.dispatch_request	= cfqx_dispatch_request,
		.has_work		= cfqx_has_work,
		.completed_request	= cfqx_completed_request,
		.requeue_request	= cfqx_requeue_request,
		.former_request		= elv_rb_former_request,
		.next_request		= elv_rb_latter_request,
	},
	.elevator_attrs	= cfqx_attrs,
	.elevator_name	= "cfqx",
	.elevator_owner	= THIS_MODULE,
};

/**
 * cfqx_is_elevator_of - is a queue ours
 * @q: the queue, entered by the caller
 */
bool cfqx_is_elevator_of(struct request_queue *q)
{
	return q->elevator && q->elevator->type == &cfqx_elevator;
}

static int __init cfqx_init(void)
{
	int err = cfqx_staging_init();

	if (err)
		return err;
	err = cfqx_policy_init();
	if (err)
		goto staging;
	err = cfqx_split_init();
	if (err)
		goto policy;
	cfqx_debugfs_init(&cfqx_elevator);
	err = elv_register(&cfqx_elevator);
	if (err)
		goto split;
	return 0;
split:
	cfqx_split_exit();
policy:
	cfqx_policy_exit();
staging:
	cfqx_staging_exit();
	return err;
}

static void __exit cfqx_exit(void)
{
	elv_unregister(&cfqx_elevator);
	cfqx_split_exit();
	cfqx_staging_exit();
	cfqx_policy_exit();
}

module_init(cfqx_init);
module_exit(cfqx_exit);

MODULE_AUTHOR("The cfqx authors");
MODULE_DESCRIPTION("Proportional-weight I/O scheduler");
MODULE_LICENSE("GPL");
MODULE_ALIAS("cfqx-iosched");
