// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroup side: the blkcg policy and its files.  What they set and show is
 * in weights.c and stats.c.
 *
 *	v2  io.cfqx.weight		default N, MAJ:MIN N, MAJ:MIN default
 *	    io.cfqx.stat		MAJ:MIN time=USEC idle=USEC sectors=N ...
 *	v1  blkio.weight		N
 *	    blkio.weight_device		MAJ:MIN N, MAJ:MIN 0
 *	    blkio.leaf_weight		as the two above, for the weight of the
 *	    blkio.leaf_weight_device	cgroup's own tasks among its children
 *	    blkio.time, blkio.sectors	MAJ:MIN N
 *	    blkio.io_*			MAJ:MIN Read N, ... Total N
 *	    blkio.*_recursive		the same, with all below the cgroup
 *	    blkio.reset_stats		is the core's own, and tells us
 *	and those of weight_alias.c, if asked for
 *
 * Locking: the core calls pd_online and pd_offline with queue_lock and blkcg.lock
 * held; groups are changed under cfqx_data.lock inside.
 */
#include <linux/backing-dev.h>
#include <linux/slab.h>

#include "cfqx.h"

static inline struct cfqx_group *pd_to_group(struct blkg_policy_data *pd)
{
	return pd ? container_of(pd, struct cfqx_group, pd) : NULL;
}

static inline struct cfqx_group *blkg_to_group(struct blkcg_gq *blkg)
{
	return blkg ? pd_to_group(blkg->pd[cfqx_policy.plid]) : NULL;
}

/**
 * cfqx_bio_group - the group a bio is charged to
 * @cfqd: the device
 * @bio: a bio that was submitted to it
 *
 * Context: cfqd->lock held; the bio pins its blkg and all above it.
 * Return: the group of the bio's cgroup, or of the nearest one above it that
 * has one: a cgroup that was removed before the device came to cfqx has none.
 */
struct cfqx_group *cfqx_bio_group(struct cfqx_data *cfqd, struct bio *bio)
{
	struct blkcg_gq *blkg = bio->bi_blkg;

	while (blkg) {
		struct cfqx_group *group = blkg_to_group(blkg);

		if (group && group->generation == cfqd->generation)
			return group;
		blkg = blkg->parent;
	}
	return cfqd->root;
}

/**
 * cfqx_bio_uncount - take back what the core counted for a bio in io.stat
 * @bio: a bio that will be submitted once more: a read or write
 *
 * The size is not counted twice, the operation is.
 *
 * Context: interrupts off, right after the core counted it.
 */
void cfqx_bio_uncount(struct bio *bio)
{
	struct blkg_iostat_set *stat = this_cpu_ptr(bio->bi_blkg->iostat_cpu);

	u64_stats_update_begin(&stat->sync);
	stat->cur.ios[op_is_write(bio_op(bio))]--;
	u64_stats_update_end(&stat->sync);
}

/* Policy data of a cgroup */

static struct blkcg_policy_data *cfqx_cpd_alloc(gfp_t gfp)
{
	struct cfqx_cgroup *cgroup = kzalloc(sizeof(*cgroup), gfp);
	unsigned int i;

	if (!cgroup)
		return NULL;
	for (i = 0; i < CFQX_NR_WEIGHS; i++)
		INIT_LIST_HEAD(&cgroup->weight[i].overrides);
	return &cgroup->cpd;
}

static void cfqx_cpd_free(struct blkcg_policy_data *cpd)
{
	struct cfqx_cgroup *cgroup = container_of(cpd, struct cfqx_cgroup, cpd);
	unsigned int i;

	for (i = 0; i < CFQX_NR_WEIGHS; i++)
		cfqx_overrides_free(&cgroup->weight[i].overrides);
	kfree(cgroup);
}

#ifdef CFQX_HAVE_blkcg_policy__cpd_bind_fn
/*
 * The controller went to the other hierarchy, which has other defaults.  Only
 * the root cgroup goes with it, whose groups are there already.
 */
static void cfqx_cpd_bind(struct blkcg_policy_data *cpd)
{
	cfqx_weights_reset(cpd->blkcg);
}
#endif

/* Policy data of a cgroup on a device */

/* The core frees groups of removed cgroups when it comes to it. */
static atomic_t nr_groups;
static DECLARE_WAIT_QUEUE_HEAD(no_groups);

static struct blkg_policy_data *
#ifdef CFQX_OP_pd_alloc_fn_ARG1_gendisk
cfqx_pd_alloc(struct gendisk *disk, struct blkcg *blkcg, gfp_t gfp)
{
	struct request_queue *q = disk->queue;
#else
cfqx_pd_alloc(gfp_t gfp, struct request_queue *q, struct blkcg *blkcg)
{
#endif
	struct cfqx_group *group = cfqx_group_alloc(gfp, q->node);

	if (!group)
		return NULL;
	atomic_inc(&nr_groups);
	return &group->pd;
}

static void cfqx_pd_init(struct blkg_policy_data *pd)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = pd->blkg->q->elevator->elevator_data;
	struct cfqx_group *parent = blkg_to_group(pd->blkg->parent);

	spin_lock(&cfqd->lock);
	cfqx_group_attach(group, cfqd, parent);
	if (!parent)
		cfqd->root = group;
	spin_unlock(&cfqd->lock);
}

static void cfqx_pd_online(struct blkg_policy_data *pd)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = group->cfqd;

	cfqx_weights_apply(group, pd->blkg->blkcg);
	spin_lock(&cfqd->lock);
	cfqx_group_online(group);
	spin_unlock(&cfqd->lock);
}

static void cfqx_pd_offline(struct blkg_policy_data *pd)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = group->cfqd;

	spin_lock(&cfqd->lock);
	cfqx_group_offline(group);
	spin_unlock(&cfqd->lock);
}

/* The core holds blkcg.lock, so the group is one of a device that uses us. */
static void cfqx_pd_reset_stats(struct blkg_policy_data *pd)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = group->cfqd;

	spin_lock(&cfqd->lock);
	cfqx_stats_reset(group);
	spin_unlock(&cfqd->lock);
}

static void cfqx_pd_free(struct blkg_policy_data *pd)
{
	cfqx_group_free(pd_to_group(pd));
	if (atomic_dec_and_test(&nr_groups))
		wake_up(&no_groups);
}

/* The files */

static struct cftype cfqx_files[] = {
	{
		.name = "cfqx.weight",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = cfqx_weight_show,
		.write = cfqx_weight_write,
	},
	{
		.name = "cfqx.stat",
		.seq_show = cfqx_stats_show,
	},
	/* Room for an alias, and the end. */
	{ },
	{ }
};

#define WEIGHT_FILE_V1(file, weighs, where) {	\
	.name = file,				\
	.flags = where,				\
	.private = weighs,			\
	.seq_show = cfqx_weight_show_v1,		\
	.write = cfqx_weight_write_v1,		\
}

#define WEIGHT_DEVICE_FILE_V1(file, weighs, where) {	\
	.name = file,					\
	.flags = where,					\
	.private = weighs,				\
	.seq_show = cfqx_weight_device_show_v1,		\
	.write = cfqx_weight_device_write_v1,		\
}

#define STATS_FILE_V1(file, what, show) {	\
	.name = file,				\
	.private = what,			\
	.seq_show = show,			\
}

#define TIME_FILE_V1(file, what) \
	STATS_FILE_V1(file, what, cfqx_stats_show_time)
#define SECTORS_FILE_V1(file, what) \
	STATS_FILE_V1(file, what, cfqx_stats_show_sectors)
#define COUNTER_FILE_V1(file, what) \
	STATS_FILE_V1(file, what, cfqx_stats_show_counter)
#define RECURSIVE(what)		((what) | CFQX_RECURSIVE)

/*
 * The root has no siblings, so its weight can only be that of its own tasks.
 * Docker looks for these two files there, to know whether there are weights.
 */
static struct cftype cfqx_files_v1[] = {
	WEIGHT_FILE_V1("weight", CFQX_GROUP, CFTYPE_NOT_ON_ROOT),
	WEIGHT_FILE_V1("weight", CFQX_LEAF, CFTYPE_ONLY_ON_ROOT),
	WEIGHT_FILE_V1("leaf_weight", CFQX_LEAF, 0),
	WEIGHT_DEVICE_FILE_V1("weight_device", CFQX_GROUP, CFTYPE_NOT_ON_ROOT),
	WEIGHT_DEVICE_FILE_V1("weight_device", CFQX_LEAF, CFTYPE_ONLY_ON_ROOT),
	WEIGHT_DEVICE_FILE_V1("leaf_weight_device", CFQX_LEAF, 0),
	TIME_FILE_V1("time", 0),
	TIME_FILE_V1("time_recursive", CFQX_RECURSIVE),
	SECTORS_FILE_V1("sectors", 0),
	SECTORS_FILE_V1("sectors_recursive", CFQX_RECURSIVE),
	COUNTER_FILE_V1("io_service_bytes", CFQX_BYTES),
	COUNTER_FILE_V1("io_service_bytes_recursive", RECURSIVE(CFQX_BYTES)),
	COUNTER_FILE_V1("io_serviced", CFQX_SERVICED),
	COUNTER_FILE_V1("io_serviced_recursive", RECURSIVE(CFQX_SERVICED)),
	COUNTER_FILE_V1("io_service_time", CFQX_SERVICE_TIME),
	COUNTER_FILE_V1("io_service_time_recursive",
			RECURSIVE(CFQX_SERVICE_TIME)),
	COUNTER_FILE_V1("io_wait_time", CFQX_WAIT_TIME),
	COUNTER_FILE_V1("io_wait_time_recursive", RECURSIVE(CFQX_WAIT_TIME)),
	COUNTER_FILE_V1("io_merged", CFQX_MERGED),
	COUNTER_FILE_V1("io_merged_recursive", RECURSIVE(CFQX_MERGED)),
	COUNTER_FILE_V1("io_queued", CFQX_QUEUED),
	COUNTER_FILE_V1("io_queued_recursive", RECURSIVE(CFQX_QUEUED)),
	/* Room for an alias, and the end. */
	{ },
	{ },
	{ }
};

struct blkcg_policy cfqx_policy = {
	.dfl_cftypes	= cfqx_files,
	.legacy_cftypes	= cfqx_files_v1,
	.cpd_alloc_fn	= cfqx_cpd_alloc,
	.cpd_free_fn	= cfqx_cpd_free,
#ifdef CFQX_HAVE_blkcg_policy__cpd_bind_fn
	.cpd_bind_fn	= cfqx_cpd_bind,
#endif
	.pd_alloc_fn	= cfqx_pd_alloc,
	.pd_init_fn	= cfqx_pd_init,
	.pd_online_fn	= cfqx_pd_online,
	.pd_offline_fn	= cfqx_pd_offline,
	.pd_free_fn	= cfqx_pd_free,
	.pd_reset_stats_fn = cfqx_pd_reset_stats,
};

/**
 * cfqx_policy_init - have the files and the policy
 *
 * Return: 0 or a negative error.
 */
int __init cfqx_policy_init(void)
{
	int err = cfqx_weight_alias_add(cfqx_files, cfqx_files_v1);

	if (err)
		return err;
	err = blkcg_policy_register(&cfqx_policy);
	if (err) {
		pr_err("cfqx: the kernel has no room for another cgroup I/O policy (%d)\n",
		       err);
		cfqx_weight_alias_end();
	}
	return err;
}

/**
 * cfqx_policy_exit - no files and no policy
 *
 * Waits for the groups of cgroups that were removed while a device used cfqx:
 * the core finds their free function through the policy.
 *
 * Context: process; no device uses cfqx any more.
 */
void cfqx_policy_exit(void)
{
	wait_event(no_groups, !atomic_read(&nr_groups));
	/* Whoever freed the last one has left our code once it slept. */
	synchronize_rcu_tasks();
	blkcg_policy_unregister(&cfqx_policy);
	cfqx_weight_alias_end();
}

/**
 * cfqx_policy_attach - make the groups of a device
 * @cfqd: the device; its elevator is linked to the queue
 *
 * Context: process, queue frozen.
 * Return: 0 or a negative error.
 */
int cfqx_policy_attach(struct cfqx_data *cfqd)
{
	return cfqx_activate_policy(cfqd->rqq, &cfqx_policy);
}

/**
 * cfqx_policy_detach - take down the groups of a device
 * @cfqd: the device
 *
 * Context: process, queue frozen.
 */
void cfqx_policy_detach(struct cfqx_data *cfqd)
{
	cfqx_deactivate_policy(cfqd->rqq, &cfqx_policy);
}
