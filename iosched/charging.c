// SPDX-License-Identifier: GPL-2.0
/*
 * Charging: who pays for the device time that ends with a request.
 *
 * Its queue; those who write on the partition, where it is the journal's or
 * metadata (journal.c); or whose data the device's write cache had to write
 * (write_cache.c).
 *
 * Locking: cfqx_data.lock.
 */
#include "cfqx.h"

/* @owner's data was written when a request of @queue was done, or @queue's own. */
static void charge_owner(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			 struct cfqx_group *owner, u64 ns)
{
	if (owner && (!queue || owner != queue->group))
		cfqx_group_charge(owner, &owner->async.entity, ns);
	else if (queue)
		cfqx_queue_charge(cfqd, queue, ns);
	else
		cfqx_group_charge(cfqd->root, &cfqd->root->async.entity, ns);
}

/* Divide @ns among those whose data, @bytes of it, left the cache. */
static void charge_owners(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			  u64 bytes, u64 ns)
{
	u64 written, part;
	void *owner;

	while ((written = cfqx_write_cache_take(&cfqd->write_cache, bytes,
						&owner))) {
		part = mul_u64_u64_div_u64(ns, written, bytes);
		charge_owner(cfqd, queue, owner, part);
		bytes -= written;
		ns -= part;
	}
	if (ns)
		charge_owner(cfqd, queue, NULL, ns);
}

static void charge_write(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			 u64 bytes, u64 ns)
{
	struct cfqx_write_cache *cache = &cfqd->write_cache;
	struct cfqx_group *group = queue->group;
	u64 written, size = cache->size;

	written = cfqx_write_cache_add(cache, group->offline ? NULL : group,
				       bytes, ns);
	if (cache->size != size)
		cfqx_trace_queue(cfqd, queue, "write cache=%llu", cache->size);
	if (written)
		charge_owners(cfqd, queue, written, ns);
	else
		cfqx_queue_charge(cfqd, queue, ns);
}

/**
 * cfqx_charge - a request of ours is done
 * @cfqd: the device
 * @rq: the request
 * @bytes: its size, about
 * @ns: device time since the request before it was done
 *
 * Context: cfqd->lock held.
 */
void cfqx_charge(struct cfqx_data *cfqd, struct request *rq, u64 bytes, u64 ns)
{
	struct cfqx_partition *partition = cfqx_rq_partition(cfqd, rq);
	struct cfqx_queue *queue = cfqx_rq_queue(rq);

	if (partition) {
		cfqx_charge_writers(cfqd, partition, cfqx_rq_is_commit(rq), ns);
		cfqx_trace_queue(cfqd, queue, "complete writers_pay=%llu", ns);
		return;
	}
	if (!cfqd->clock.shared && req_op(rq) == REQ_OP_WRITE) {
		charge_write(cfqd, queue, bytes, ns);
	} else {
		cfqx_write_cache_other(&cfqd->write_cache);
		cfqx_queue_charge(cfqd, queue, ns);
	}
	cfqx_trace_queue(cfqd, queue, "complete charge=%llu%s", ns,
			 cfqx_queue_home(cfqd, queue) == queue->group ?
			 "" : " to root");
}

/**
 * cfqx_charge_foreign - a request is done that went past the scheduler
 * @cfqd: the device
 * @partition: where, NULL if that is not known
 * @rq: the request
 * @ns: device time that was nobody else's
 *
 * If the cache was flushed for it, those pay whose data that wrote.
 *
 * Context: cfqd->lock held.
 */
void cfqx_charge_foreign(struct cfqx_data *cfqd,
			 struct cfqx_partition *partition, struct request *rq,
			 u64 ns)
{
	bool flush = !cfqd->clock.shared &&
		     (req_op(rq) == REQ_OP_FLUSH || op_is_flush(rq->cmd_flags));
	u64 cached = cfqd->write_cache.bytes;

	if (ns && flush && cached)
		charge_owners(cfqd, NULL, cached, ns);
	else if (ns)
		cfqx_charge_writers(cfqd, partition, true, ns);
	if (flush)
		cfqx_write_cache_empty(&cfqd->write_cache);
}
