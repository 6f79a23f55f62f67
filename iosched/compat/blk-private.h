/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an elevator needs of the block layer's private headers, which kernel
 * header packages do not contain.
 *
 * Types, prototypes and facts are generated from the target kernel's BTF
 * (generated/blk-private-types.h).  Here stand only macros and inlines, which
 * BTF cannot give, and the few places where kernels differ: each chosen by a
 * fact, never by a version, and dated.
 *
 * Locking: none.
 */
#ifndef CFQX_COMPAT_BLK_PRIVATE_H
#define CFQX_COMPAT_BLK_PRIVATE_H

#include <linux/blk-cgroup.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/cgroup.h>
#include <linux/iocontext.h>
#include <linux/module.h>
#include <linux/rbtree.h>
#include <linux/seq_file.h>

#include "../generated/blk-private-types.h"

#ifndef CONFIG_64BIT
#error "cfqx keeps 48 bit tickets in a pointer and needs a 64 bit kernel"
#endif

#define rb_entry_rq(node)	rb_entry((node), struct request, rb_node)

/*
 * v6.1: a request that prepare_request() saw has RQF_ELVPRIV.  Later kernels
 * mark every request of an elevator RQF_USE_SCHED, and still do not call
 * prepare_request() for flushes.
 */
static inline bool cfqx_rq_managed(const struct request *rq)
{
#ifdef RQF_ELVPRIV
	return rq->rq_flags & RQF_ELVPRIV;
#else
	return (rq->rq_flags & RQF_USE_SCHED) &&
	       !(rq->rq_flags & RQF_FLUSH_SEQ) && !op_is_flush(rq->cmd_flags);
#endif
}

static inline bool rq_mergeable(struct request *rq)
{
	if (blk_rq_is_passthrough(rq))
		return false;
	if (req_op(rq) == REQ_OP_FLUSH || req_op(rq) == REQ_OP_WRITE_ZEROES ||
	    req_op(rq) == REQ_OP_ZONE_APPEND)
		return false;
	return !(rq->cmd_flags & REQ_NOMERGE_FLAGS) &&
	       !(rq->rq_flags & RQF_NOMERGE_FLAGS);
}

static inline bool blk_mq_is_shared_tags(unsigned int flags)
{
	return flags & BLK_MQ_F_TAG_HCTX_SHARED;
}

/* v6.1: the policy is activated on a queue; v6.5 and later: on a disk. */
static inline int cfqx_activate_policy(struct request_queue *q,
				       const struct blkcg_policy *policy)
{
#ifdef CFQX_FUNC_blkcg_activate_policy_ARG1_gendisk
	return blkcg_activate_policy(q->disk, policy);
#else
	return blkcg_activate_policy(q, policy);
#endif
}

static inline void cfqx_deactivate_policy(struct request_queue *q,
					  const struct blkcg_policy *policy)
{
#ifdef CFQX_FUNC_blkcg_activate_policy_ARG1_gendisk
	blkcg_deactivate_policy(q->disk, policy);
#else
	blkcg_deactivate_policy(q, policy);
#endif
}

/* v6.15: initialisation and function are set by one call. */
static inline void cfqx_timer_setup(struct hrtimer *timer,
				    enum hrtimer_restart (*fn)(struct hrtimer *))
{
#ifdef CFQX_HAVE_FUNC_hrtimer_setup
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = fn;
#endif
}

#endif /* CFQX_COMPAT_BLK_PRIVATE_H */
