// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: the requests of one issuer in one group, their order, and what is
 * learned about the issuer.
 *
 * A sync queue belongs to one issuing context (io_context, or task without
 * one) in one group; a task that moves to another cgroup gets another queue
 * there and leaves nothing behind but requests on their way.  The issuer is
 * only a name: it is compared, never followed, so no queue has to be told when
 * a task exits, and a name used again only inherits what was learned.  Queues
 * nobody used for a second are freed when new ones are made.
 *
 * Locking: cfqx_data.lock.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "cfqx.h"

/* A request this far (sectors) from the one before it is a seek. */
#define SEEK_SECTORS		800

/* More seeks than this among the last 32 requests: a seeky queue. */
#define SEEKY_COUNT		4

/* A queue nobody used for so long (ns) may be freed. */
#define QUEUE_UNUSED		NSEC_PER_SEC

/* A queue with nothing under way for so long (ns) is new when it comes back. */
#define PAUSE			(100 * NSEC_PER_MSEC)

/* How many unused queues to free when one is made. */
#define QUEUE_REAP		8

/**
 * cfqx_queue_init - an empty queue
 * @queue: the queue
 * @group: its group
 * @priority: of its requests
 * @sync: for sync requests
 */
void cfqx_queue_init(struct cfqx_queue *queue, struct cfqx_group *group,
		     struct cfqx_priority priority, bool sync)
{
	const struct cfqx_tunables *t = &group->cfqd->tunables;

	memset(queue, 0, sizeof(*queue));
	cfqx_entity_init(&queue->entity, &group->class[priority.class].queues,
			 1, &t->slice[sync][priority.level]);
	queue->group = group;
	queue->priority = priority;
	queue->entity.urgent = sync && priority.class != CFQX_IDLE;
	queue->sync = sync;
	queue->sort_list = RB_ROOT;
	INIT_LIST_HEAD(&queue->fifo);
	INIT_LIST_HEAD(&queue->lru);
	INIT_LIST_HEAD(&queue->staged_link);
	INIT_LIST_HEAD(&queue->stalled_link);
	INIT_HLIST_NODE(&queue->hash);
	bio_list_init(&queue->staged);
}

static u32 queue_key(const struct cfqx_group *group, const void *issuer)
{
	return hash_ptr(group, 32) ^ hash_ptr(issuer, 32);
}

static bool same_priority(struct cfqx_priority a, struct cfqx_priority b)
{
	return a.class == b.class && a.level == b.level;
}

/**
 * cfqx_queue_find - the queue of an issuer, if it has one
 * @cfqd: the device
 * @group: in which group
 * @issuer: who issues
 * @priority: at which I/O priority
 * @sync: sync requests, or write-back
 *
 * Context: cfqd->lock held.
 * Return: the queue or NULL; no reference is taken.
 */
struct cfqx_queue *cfqx_queue_find(struct cfqx_data *cfqd,
				   struct cfqx_group *group,
				   const void *issuer,
				   struct cfqx_priority priority, bool sync)
{
	struct cfqx_queue *queue;

	if (!sync)
		return &group->async;
	hash_for_each_possible(cfqd->queue_hash, queue, hash,
			       queue_key(group, issuer))
		if (queue->group == group && queue->issuer == issuer &&
		    same_priority(queue->priority, priority))
			return queue;
	return NULL;
}

static void queue_unhash(struct cfqx_queue *queue)
{
	hash_del(&queue->hash);
	list_del_init(&queue->lru);
	cfqx_queue_put(queue);
}

static void reap_queues(struct cfqx_group *group, u64 now)
{
	struct cfqx_queue *queue, *next;
	unsigned int budget = QUEUE_REAP;

	list_for_each_entry_safe(queue, next, &group->queues, lru) {
		if (!budget-- || now - queue->last_end < QUEUE_UNUSED)
			break;
		if (queue->refs == 1)
			queue_unhash(queue);
	}
}

/**
 * cfqx_queue_get - the queue of an issuer, made if need be
 * @cfqd: the device
 * @group: in which group
 * @issuer: who issues
 * @priority: at which I/O priority
 * @sync: sync requests, or write-back
 *
 * Context: cfqd->lock held; allocates without sleeping.
 * Return: the queue, the group's shared one if there is no memory.  No
 * reference is taken.
 */
struct cfqx_queue *cfqx_queue_get(struct cfqx_data *cfqd,
				  struct cfqx_group *group,
				  const void *issuer,
				  struct cfqx_priority priority, bool sync)
{
	struct cfqx_queue *queue;
	u64 now;

	queue = cfqx_queue_find(cfqd, group, issuer, priority, sync);

	if (queue) {
		if (!queue->embedded)
			list_move_tail(&queue->lru, &group->queues);
		return queue;
	}
	/* A queue of its own would keep the group of a dead cgroup alive. */
	if (group->offline)
		return &group->shared_sync;
	now = ktime_get_ns();
	reap_queues(group, now);
	queue = kmalloc_node(sizeof(*queue), GFP_NOWAIT | __GFP_NOWARN,
			     cfqd->rqq->node);
	if (!queue)
		return &group->shared_sync;
	cfqx_queue_init(queue, group, priority, true);
	queue->issuer = issuer;
	queue->pid = current->pid;
	queue->last_end = now;
	queue->refs = 1;
	cfqx_group_get(group);
	hash_add(cfqd->queue_hash, &queue->hash, queue_key(group, issuer));
	list_add_tail(&queue->lru, &group->queues);
	cfqx_trace_queue(cfqd, queue, "alloced prio=%d/%d", priority.class,
			 priority.level);
	return queue;
}

/**
 * cfqx_queue_ref - a request or bio needs the queue
 * @queue: the queue
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_queue_ref(struct cfqx_queue *queue)
{
	if (queue->embedded)
		cfqx_group_get(queue->group);
	else
		queue->refs++;
}

/**
 * cfqx_queue_put - a request or bio does not need the queue any more
 * @queue: the queue, and with it its group, may be gone afterwards
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_queue_put(struct cfqx_queue *queue)
{
	struct cfqx_group *group = queue->group;

	if (queue->embedded) {
		cfqx_group_put(group);
		return;
	}
	if (--queue->refs)
		return;
	WARN_ON_ONCE(cfqx_queue_has_work(queue));
	cfqx_forget_queue(group->cfqd, queue);
	cfqx_trace_queue(group->cfqd, queue, "put_queue");
	kfree(queue);
	cfqx_group_put(group);
}

/**
 * cfqx_group_release_queues - forget what was learned about issuers
 * @group: the group; queues with requests live until those are done
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_release_queues(struct cfqx_group *group)
{
	struct cfqx_queue *queue, *next;

	list_for_each_entry_safe(queue, next, &group->queues, lru)
		queue_unhash(queue);
}

/**
 * cfqx_queue_has_work - is there anything to serve
 * @queue: the queue
 */
bool cfqx_queue_has_work(const struct cfqx_queue *queue)
{
	return queue->nr_queued || !bio_list_empty(&queue->staged);
}

/**
 * cfqx_queue_seeky - does the issuer jump about
 * @queue: the queue
 */
bool cfqx_queue_seeky(const struct cfqx_queue *queue)
{
	return hweight32(queue->seek_history) > SEEKY_COUNT;
}

/**
 * cfqx_queue_note_arrival - learn from a request that arrives
 * @cfqd: the device
 * @queue: its queue
 * @pos: its first sector
 * @sectors: its size
 * @now: current time (ns)
 *
 * Think time is only sampled when the issuer had nothing else under way: then
 * the gap was its own.  Samples are cut off at twice what we would wait.
 */
void cfqx_queue_note_arrival(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			     sector_t pos, sector_t sectors, u64 now)
{
	u64 since = cfqx_idling_since(queue);
	u64 distance = pos > queue->last_arrival ? pos - queue->last_arrival :
						  queue->last_arrival - pos;

	queue->seek_history <<= 1;
	if (queue->last_arrival && distance > SEEK_SECTORS)
		queue->seek_history |= 1;
	queue->last_arrival = pos + sectors;

	if (!queue->sync || queue->nr_queued || queue->in_driver ||
	    !queue->last_end || now < since)
		return;
	queue->think_time = (7 * queue->think_time +
			     min(now - since,
				 2 * max(cfqd->tunables.slice_idle,
					 cfqd->tunables.group_idle))) / 8;
	if (queue->think_samples < 255)
		queue->think_samples++;
}

/**
 * cfqx_queue_add - a request enters its queue
 * @cfqd: the device
 * @queue: the queue
 * @rq: the request, with its fifo_time set to now
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_add(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		    struct request *rq)
{
	elv_rb_add(&queue->sort_list, rq);
	list_add_tail(&rq->queuelist, &queue->fifo);
	queue->nr_queued++;
	cfqd->queued++;
	cfqx_stats_wait_begin(queue, rq->cmd_flags, rq->fifo_time);
	cfqx_rq_set(rq, CFQX_RQ_QUEUED);
	/* Merging discards is the core's own: it does not tell us of all. */
	if (rq_mergeable(rq) && req_op(rq) != REQ_OP_DISCARD) {
		elv_rqhash_add(cfqd->rqq, rq);
		if (!cfqd->rqq->last_merge)
			cfqd->rqq->last_merge = rq;
	}
}

/**
 * cfqx_queue_remove - a request leaves its queue
 * @cfqd: the device
 * @queue: the queue
 * @rq: the request: dispatched, or merged into another
 * @now: current time (ns)
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_remove(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		       struct request *rq, u64 now)
{
	elv_rb_del(&queue->sort_list, rq);
	list_del_init(&rq->queuelist);
	elv_rqhash_del(cfqd->rqq, rq);
	if (cfqd->rqq->last_merge == rq)
		cfqd->rqq->last_merge = NULL;
	queue->nr_queued--;
	cfqd->queued--;
	cfqx_stats_wait_end(queue, rq->cmd_flags, now);
	cfqx_rq_clear(rq, CFQX_RQ_QUEUED);
}

/* The first request at or after @pos, or NULL. */
static struct request *next_ahead(struct cfqx_queue *queue, sector_t pos)
{
	struct rb_node *node = queue->sort_list.rb_node;
	struct request *next = NULL;

	while (node) {
		struct request *rq = rb_entry_rq(node);

		if (blk_rq_pos(rq) >= pos) {
			next = rq;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return next;
}

/*
 * The start of the last run of requests before @pos, if it is no more than @max
 * sectors away; or NULL.  A run has no seek in it, and is served from its start:
 * backwards each of its requests would cost a turn of the disk.
 */
static struct request *run_behind(struct rb_node *node, sector_t pos,
				  sector_t max)
{
	struct request *run = NULL;

	for (; node; node = rb_prev(node)) {
		struct request *rq = rb_entry_rq(node);
		sector_t end = blk_rq_pos(rq) + blk_rq_sectors(rq);

		if (run && blk_rq_pos(run) > end + SEEK_SECTORS)
			break;
		if (pos - blk_rq_pos(rq) > max)
			return NULL;
		run = rq;
	}
	return run;
}

/*
 * The next request by sector: ahead of the last one, or behind it if that is
 * nearer by far.  With nothing ahead, and nothing near, from the start again.
 */
static struct request *next_by_sector(struct cfqx_data *cfqd,
				      struct cfqx_queue *queue)
{
	sector_t pos = queue->last_pos;
	sector_t max = 2ULL * cfqd->tunables.back_seek_max;
	struct request *ahead = next_ahead(queue, pos);
	struct request *behind;
	struct rb_node *node;

	if (ahead && blk_rq_pos(ahead) == pos)
		return ahead;
	node = ahead ? rb_prev(&ahead->rb_node) : rb_last(&queue->sort_list);
	if (ahead)
		max = min(max, div_u64(blk_rq_pos(ahead) - pos - 1,
				       cfqd->tunables.back_seek_penalty));
	behind = run_behind(node, pos, max);
	if (behind)
		return behind;
	return ahead ?: rb_entry_rq(rb_first(&queue->sort_list));
}

/**
 * cfqx_queue_next - the request to serve next
 * @cfqd: the device
 * @queue: the queue, not empty
 * @now: current time (ns)
 *
 * By sector, mostly in one direction; the oldest one if it waited for longer
 * than fifo_expire.  In a backlog all of them did, and by age it would be
 * random I/O; so that happens once in fifo_expire, and the requests by sector
 * go on from there.
 *
 * Context: cfqd->lock held.
 */
struct request *cfqx_queue_next(struct cfqx_data *cfqd,
				struct cfqx_queue *queue, u64 now)
{
	struct request *oldest = list_first_entry(&queue->fifo, struct request,
						  queuelist);
	struct request *next = next_by_sector(cfqd, queue);
	u64 expire = cfqd->tunables.fifo_expire[queue->sync];

	if (next == oldest || now - oldest->fifo_time < expire ||
	    now - queue->last_by_age < expire)
		return next;
	queue->last_by_age = now;
	return oldest;
}

/**
 * cfqx_queue_rewind - begin anew at the oldest request
 * @queue: the queue
 *
 * The device has to seek anyway, so it may as well begin with what was left
 * behind the last time.  A file system leaves much there: it keeps room for a
 * file to grow, and comes back to fill it.
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_queue_rewind(struct cfqx_queue *queue)
{
	struct request *oldest = list_first_entry_or_null(&queue->fifo,
							  struct request,
							  queuelist);

	if (oldest)
		queue->last_pos = blk_rq_pos(oldest);
}

/**
 * cfqx_queue_jumps - is the next request far from where the device is
 * @cfqd: the device
 * @queue: the queue, not empty
 *
 * Context: cfqd->lock held.
 */
bool cfqx_queue_jumps(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	sector_t pos = blk_rq_pos(next_by_sector(cfqd, queue));

	return pos < cfqd->last_pos || pos - cfqd->last_pos > SEEK_SECTORS;
}

/* The weight of a queue at its level, which changes with the slices. */
static unsigned int weight_of(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	return cfqd->tunables.weight[queue->sync][queue->priority.level];
}

/**
 * cfqx_queue_set_slice - how long a queue keeps the device once chosen
 * @cfqd: the device
 * @queue: a queue that is chosen, or about to be queued
 *
 * Streams cost a seek with each change, and those that have all slices to fill
 * lose nothing by longer ones.  So slices are long while nothing but streams is
 * queued, and what they were asked to be as soon as anything else is.  Whoever
 * comes after a pause has a short one, and so is due first.
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_set_slice(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_class *class = cfqx_class_of(cfqd, queue);
	const struct cfqx_tunables *t = &cfqd->tunables;
	unsigned int level = queue->priority.level;

	if (queue->newcomer)
		queue->entity.slice = &t->newcomer;
	else if (queue->sync && queue->workload == CFQX_SYNC &&
		 !class->noidle_queues.nr_queued && !class->nr_newcomers)
		queue->entity.slice = &t->stream[level];
	else
		queue->entity.slice = &t->slice[queue->sync][level];
}

/* Is @queue new, or has it been away for a while? */
static bool comes_after_pause(const struct cfqx_data *cfqd,
			      const struct cfqx_queue *queue)
{
	if (!cfqd->tunables.low_latency || !queue->entity.urgent)
		return false;
	return !queue->last_pos ||
	       (!queue->in_driver &&
		ktime_get_ns() - queue->last_end > PAUSE);
}

/* It had its slice, or needs none any more. */
static void end_newcomer(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (!queue->newcomer)
		return;
	queue->newcomer = false;
	cfqx_class_of(cfqd, queue)->nr_newcomers--;
}

/**
 * cfqx_queue_activate - a queue has work
 * @cfqd: the device
 * @queue: the queue
 *
 * Puts it on the tree of its workload, unless it is queued already.
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_activate(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	struct cfqx_group *group = queue->group;
	struct cfqx_entity *entity = &queue->entity, *top;
	unsigned int id = queue->priority.class;

	if (entity->queued)
		return;
	list_del_init(&queue->stalled_link);
	queue->workload = CFQX_ASYNC;
	if (queue->sync)
		queue->workload = cfqx_queue_seeky(queue) ? CFQX_SYNC_NOIDLE :
							    CFQX_SYNC;
	if (queue->workload == CFQX_SYNC_NOIDLE) {
		if (!cfqd->tunables.group_isolation)
			group = cfqd->root;
		cfqx_entity_move(entity, &group->class[id].noidle_queues);
	} else {
		cfqx_entity_move(entity, &group->class[id].queues);
	}
	queue->newcomer = comes_after_pause(cfqd, queue);
	group->class[id].nr_newcomers += queue->newcomer;
	cfqx_queue_set_slice(cfqd, queue);
	cfqx_turns_begin(cfqd, queue);
	cfqx_entity_set_weight(entity, weight_of(cfqd, queue));
	top = cfqx_entity_enqueue(entity, cfqd->tunables.slice_sync);
	cfqx_class_update(&group->class[id]);
	cfqx_starvation_begin(cfqd, queue);
	if (entity->urgent && cfqd->root->children.nr_urgent == 1)
		cfqx_sync_arrived(cfqd);
	if (cfqx_traced(cfqd))
		cfqx_trace_on_tree(cfqd, queue, top);
}

/**
 * cfqx_queue_deactivate - a queue ran dry
 * @cfqd: the device
 * @queue: the queue
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_deactivate(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	if (!queue->entity.queued)
		return;
	if (cfqx_traced(cfqd))
		cfqx_trace_off_tree(cfqd, queue);
	cfqx_entity_dequeue(&queue->entity);
	end_newcomer(cfqd, queue);
	cfqx_class_update(cfqx_class_of(cfqd, queue));
	cfqx_starvation_end(cfqd, queue);
}

/**
 * cfqx_queue_reclassify - a queue with work may have turned out to be seeky
 * @cfqd: the device
 * @queue: the queue, queued
 *
 * One that always has requests under way never runs dry, so it would stay what
 * its first request made it, and weigh what it did then.
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_reclassify(struct cfqx_data *cfqd, struct cfqx_queue *queue)
{
	bool seeky = cfqx_queue_seeky(queue);
	bool was_seeky = queue->workload == CFQX_SYNC_NOIDLE;

	if ((!queue->sync || seeky == was_seeky) &&
	    queue->entity.weight == weight_of(cfqd, queue))
		return;
	if (seeky != was_seeky)
		cfqx_trace_queue(cfqd, queue, "wl=%s->%s",
				 cfqx_workload_name(queue->workload),
				 cfqx_workload_name(seeky ? CFQX_SYNC_NOIDLE :
							    CFQX_SYNC));
	cfqx_queue_deactivate(cfqd, queue);
	cfqx_queue_activate(cfqd, queue);
}

/**
 * cfqx_queue_home - the group whose service tree a queue is on
 * @cfqd: the device
 * @queue: the queue
 *
 * Context: cfqd->lock held.
 * Return: the root group for seeky queues without group_isolation.
 */
struct cfqx_group *cfqx_queue_home(struct cfqx_data *cfqd,
				   struct cfqx_queue *queue)
{
	struct cfqx_class *class = &cfqd->root->class[queue->priority.class];

	if (queue->entity.tree == &class->noidle_queues)
		return cfqd->root;
	return queue->group;
}

/**
 * cfqx_queue_charge - a queue used the device
 * @cfqd: the device
 * @queue: the queue
 * @ns: device time
 *
 * Context: cfqd->lock held.
 */
void cfqx_queue_charge(struct cfqx_data *cfqd, struct cfqx_queue *queue, u64 ns)
{
	cfqx_group_charge(cfqx_queue_home(cfqd, queue), &queue->entity, ns);
	if (queue->entity.slice_used >= (s64)*queue->entity.slice)
		end_newcomer(cfqd, queue);
}
