// SPDX-License-Identifier: GPL-2.0
/*
 * Write-back throttling: the core's own limit on write-back, by the latency of
 * reads (queue/wbt_lat_usec).  It holds writers up before they come to the
 * scheduler, in the order they come, so no weight would hold.  It is set to 0
 * while cfqx has the disk, and to what it was afterwards.
 *
 * The core's own call for that leaves a limit alone that an administrator has
 * set, still shows the one it turned off (v6.1), and may only be undone outside
 * of the switch (v6.16).  So the limit is set here as a write to wbt_lat_usec
 * sets it.  Who writes to that file while cfqx has the disk has throttling, and
 * keeps it.
 *
 * Locking: called with the queue frozen; gendisk.rqos_state_mutex where there is
 * one.
 */
#include "cfqx.h"

#ifdef CFQX_HAVE_STRUCT_rq_wb

static struct rq_wb *wbt_of(struct request_queue *q)
{
	struct rq_qos *rqos;

	for (rqos = q->rq_qos; rqos; rqos = rqos->next)
		if (rqos->id == RQ_QOS_WBT)
			return container_of(rqos, struct rq_wb, rqos);
	return NULL;
}

static void state_lock(struct request_queue *q)
{
#ifdef CFQX_HAVE_gendisk__rqos_state_mutex
	mutex_lock(&q->disk->rqos_state_mutex);
#endif
}

static void state_unlock(struct request_queue *q)
{
#ifdef CFQX_HAVE_gendisk__rqos_state_mutex
	mutex_unlock(&q->disk->rqos_state_mutex);
#endif
}

/* The limits are computed anew, as after a change of the device's depth. */
static void set_latency(struct rq_wb *wbt, unsigned long ns)
{
	wbt->min_lat_nsec = ns;
	wbt->rqos.ops->queue_depth_changed(&wbt->rqos);
}

/**
 * cfqx_wbt_off - no write-back throttling while we have the disk
 * @cfqd: the device
 *
 * Context: process, queue frozen.
 */
void cfqx_wbt_off(struct cfqx_data *cfqd)
{
	struct rq_wb *wbt = wbt_of(cfqd->rqq);

	if (!wbt)
		return;
	state_lock(cfqd->rqq);
	cfqd->wbt_latency = wbt->min_lat_nsec;
	set_latency(wbt, 0);
	state_unlock(cfqd->rqq);
}

/**
 * cfqx_wbt_restore - as it was before cfqx_wbt_off(), unless it was set since
 * @cfqd: the device
 *
 * Context: process, queue frozen.
 */
void cfqx_wbt_restore(struct cfqx_data *cfqd)
{
	struct rq_wb *wbt = wbt_of(cfqd->rqq);

	if (!wbt)
		return;
	state_lock(cfqd->rqq);
	if (!wbt->min_lat_nsec)
		set_latency(wbt, cfqd->wbt_latency);
	state_unlock(cfqd->rqq);
}

#else /* !CFQX_HAVE_STRUCT_rq_wb: this kernel has no such throttling */

void cfqx_wbt_off(struct cfqx_data *cfqd)
{
}

void cfqx_wbt_restore(struct cfqx_data *cfqd)
{
}

#endif
