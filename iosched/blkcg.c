// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroup side: the blkcg policy, and the files weights are set in.  What
 * accounts are read from is listed here too, and shown by stats.c.
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
 *
 * Weights belong to the cgroup (struct cfqx_cgroup), so they may be set while
 * no device uses cfqx; a group takes its weight from there when it comes up.
 *
 * Locking: blkcg.lock protects the weights of a cgroup.  The core calls
 * pd_online and pd_offline with queue_lock and blkcg.lock held; groups are
 * changed under cfqx_data.lock inside.
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

static inline struct blkcg *seq_to_blkcg(struct seq_file *sf)
{
	return container_of(seq_css(sf), struct blkcg, css);
}

static inline struct blkcg *of_to_blkcg(struct kernfs_open_file *of)
{
	return container_of(of_css(of), struct blkcg, css);
}

static inline struct cfqx_cgroup *blkcg_to_cgroup(struct blkcg *blkcg)
{
	return container_of(blkcg->cpd[cfqx_policy.plid], struct cfqx_cgroup,
			    cpd);
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
	struct cfqx_override *override, *next;
	unsigned int i;

	for (i = 0; i < CFQX_NR_WEIGHS; i++)
		list_for_each_entry_safe(override, next,
					 &cgroup->weight[i].overrides, link)
			kfree(override);
	kfree(cgroup);
}

/*
 * A weight where there is no override.  If it was never set the root cgroup's
 * own tasks weigh as much as two cgroups.
 */
static unsigned int default_weight(struct blkcg *blkcg, enum cfqx_weighs of)
{
	unsigned int value = blkcg_to_cgroup(blkcg)->weight[of].value;

	if (value)
		return value;
	value = cgroup_subsys_on_dfl(io_cgrp_subsys) ? CFQX_V2_WEIGHT_DEFAULT :
						       CFQX_V1_WEIGHT_DEFAULT;
	return of == CFQX_LEAF && !blkcg->css.parent ? 2 * value : value;
}

static struct cfqx_override *find_override(struct blkcg *blkcg,
					   enum cfqx_weighs of, dev_t dev)
{
	struct cfqx_weight *weight = &blkcg_to_cgroup(blkcg)->weight[of];
	struct cfqx_override *override;

	list_for_each_entry(override, &weight->overrides, link)
		if (override->dev == dev)
			return override;
	return NULL;
}

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

static unsigned int weight_on(struct blkcg *blkcg, enum cfqx_weighs of,
			      dev_t dev)
{
	struct cfqx_override *override = find_override(blkcg, of, dev);

	return override ? override->weight : default_weight(blkcg, of);
}

static void apply_weights(struct cfqx_group *group, struct blkcg *blkcg)
{
	struct cfqx_data *cfqd = group->cfqd;
	dev_t dev = disk_devt(cfqd->rqq->disk);

	spin_lock(&cfqd->lock);
	cfqx_group_set_weight(group, weight_on(blkcg, CFQX_GROUP, dev),
			      weight_on(blkcg, CFQX_LEAF, dev));
	spin_unlock(&cfqd->lock);
}

static void cfqx_pd_online(struct blkg_policy_data *pd)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = group->cfqd;

	apply_weights(group, pd->blkg->blkcg);
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

/* Setting weights */

/* A cgroup's weights changed: tell all its groups.  blkcg.lock held. */
static void update_groups(struct blkcg *blkcg)
{
	struct blkcg_gq *blkg;

	lockdep_assert_held(&blkcg->lock);
	hlist_for_each_entry(blkg, &blkcg->blkg_list, blkcg_node) {
		struct cfqx_group *group = blkg_to_group(blkg);

		if (group && group->pd.online)
			apply_weights(group, blkcg);
	}
}

static int parse_weight(const char *text, unsigned int *weight)
{
	bool v2 = cgroup_subsys_on_dfl(io_cgrp_subsys);
	int err = kstrtouint(text, 10, weight);

	if (err)
		return err;
	if (*weight < (v2 ? CFQX_V2_WEIGHT_MIN : CFQX_V1_WEIGHT_MIN) ||
	    *weight > (v2 ? CFQX_V2_WEIGHT_MAX : CFQX_V1_WEIGHT_MAX))
		return -ERANGE;
	return 0;
}

static int set_default(struct blkcg *blkcg, enum cfqx_weighs of,
		       const char *text)
{
	unsigned int weight;
	int err = parse_weight(text, &weight);

	if (err)
		return err;
	spin_lock_irq(&blkcg->lock);
	blkcg_to_cgroup(blkcg)->weight[of].value = weight;
	update_groups(blkcg);
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

/*
 * Ask the core whether @input starts with the numbers of a disk.  A disk that
 * is not ours now (EOPNOTSUPP) is a disk all the same.
 */
static int check_device(struct blkcg *blkcg, char *input)
{
	struct blkg_conf_ctx ctx;
	int err;

#ifdef CFQX_HAVE_FUNC_blkg_conf_finish
	err = blkg_conf_prep(blkcg, &cfqx_policy, input, &ctx);
	if (!err)
		blkg_conf_finish(&ctx);
#elif defined(CFQX_HAVE_FUNC_blkg_conf_unprep)
	blkg_conf_init(&ctx, input);
	err = blkg_conf_open_bdev(&ctx);
	if (err)
		return err;
	err = blkg_conf_prep(blkcg, &cfqx_policy, &ctx);
	if (!err)
		blkg_conf_unprep(&ctx);
	blkg_conf_close_bdev(&ctx);
#else
	blkg_conf_init(&ctx, input);
	err = blkg_conf_prep(blkcg, &cfqx_policy, &ctx);
	blkg_conf_exit(&ctx);
#endif
	return err == -EOPNOTSUPP ? 0 : err;
}

static int drop_override(struct blkcg *blkcg, enum cfqx_weighs of, dev_t dev)
{
	struct cfqx_override *override;

	spin_lock_irq(&blkcg->lock);
	override = find_override(blkcg, of, dev);
	if (override)
		list_del(&override->link);
	update_groups(blkcg);
	spin_unlock_irq(&blkcg->lock);
	kfree(override);
	return 0;
}

static int set_override(struct blkcg *blkcg, enum cfqx_weighs of, dev_t dev,
			unsigned int weight)
{
	struct cfqx_override *override, *old;

	override = kzalloc(sizeof(*override), GFP_KERNEL);
	if (!override)
		return -ENOMEM;
	override->dev = dev;
	override->weight = weight;

	spin_lock_irq(&blkcg->lock);
	old = find_override(blkcg, of, dev);
	if (old)
		list_del(&old->link);
	list_add_tail(&override->link,
		      &blkcg_to_cgroup(blkcg)->weight[of].overrides);
	update_groups(blkcg);
	spin_unlock_irq(&blkcg->lock);
	kfree(old);
	return 0;
}

/* "MAJ:MIN N", or "MAJ:MIN @none" to go back to the default. */
static int set_device(struct blkcg *blkcg, enum cfqx_weighs of, char *text,
		      const char *none)
{
	unsigned int major, minor, weight;
	char *value;
	int err, len;

	if (sscanf(text, "%u:%u%n", &major, &minor, &len) != 2)
		return -EINVAL;
	value = strim(text + len);
	if (value == text + len || !*value)
		return -EINVAL;
	if (strcmp(value, none)) {
		err = parse_weight(value, &weight);
		if (err)
			return err;
	} else {
		weight = 0;
	}
	err = check_device(blkcg, text);
	if (err)
		return err;
	if (!weight)
		return drop_override(blkcg, of, MKDEV(major, minor));
	return set_override(blkcg, of, MKDEV(major, minor), weight);
}

static ssize_t weight_write(struct kernfs_open_file *of, char *buf,
			    size_t nbytes, loff_t off)
{
	struct blkcg *blkcg = of_to_blkcg(of);
	char *text = strim(buf);
	int err;

	if (str_has_prefix(text, "default "))
		err = set_default(blkcg, CFQX_GROUP,
				  strim(text + strlen("default ")));
	else if (strchr(text, ':'))
		err = set_device(blkcg, CFQX_GROUP, text, "default");
	else
		err = set_default(blkcg, CFQX_GROUP, text);
	return err ?: nbytes;
}

static ssize_t weight_write_v1(struct kernfs_open_file *of, char *buf,
			       size_t nbytes, loff_t off)
{
	return set_default(of_to_blkcg(of), of_cft(of)->private, strim(buf)) ?:
	       nbytes;
}

static ssize_t weight_device_write_v1(struct kernfs_open_file *of, char *buf,
				      size_t nbytes, loff_t off)
{
	return set_device(of_to_blkcg(of), of_cft(of)->private, strim(buf),
			  "0") ?: nbytes;
}

/* Showing weights */

static void show_overrides(struct seq_file *sf, struct blkcg *blkcg,
			   enum cfqx_weighs of)
{
	struct cfqx_weight *weight = &blkcg_to_cgroup(blkcg)->weight[of];
	struct cfqx_override *override;

	list_for_each_entry(override, &weight->overrides, link)
		seq_printf(sf, "%u:%u %u\n", MAJOR(override->dev),
			   MINOR(override->dev), override->weight);
}

static int weight_show(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "default %u\n", default_weight(blkcg, CFQX_GROUP));
	show_overrides(sf, blkcg, CFQX_GROUP);
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

static int weight_show_v1(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "%u\n", default_weight(blkcg, seq_cft(sf)->private));
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

static int weight_device_show_v1(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	seq_puts(sf, "dev\tweight\n");
	spin_lock_irq(&blkcg->lock);
	show_overrides(sf, blkcg, seq_cft(sf)->private);
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

/* The files */

static struct cftype cfqx_files[] = {
	{
		.name = "cfqx.weight",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = weight_show,
		.write = weight_write,
	},
	{
		.name = "cfqx.stat",
		.seq_show = cfqx_stats_show,
	},
	{ }
};

#define WEIGHT_FILE_V1(file, weighs, where) {	\
	.name = file,				\
	.flags = where,				\
	.private = weighs,			\
	.seq_show = weight_show_v1,		\
	.write = weight_write_v1,		\
}

#define WEIGHT_DEVICE_FILE_V1(file, weighs, where) {	\
	.name = file,					\
	.flags = where,					\
	.private = weighs,				\
	.seq_show = weight_device_show_v1,		\
	.write = weight_device_write_v1,		\
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
	{ }
};

struct blkcg_policy cfqx_policy = {
	.dfl_cftypes	= cfqx_files,
	.legacy_cftypes	= cfqx_files_v1,
	.cpd_alloc_fn	= cfqx_cpd_alloc,
	.cpd_free_fn	= cfqx_cpd_free,
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
	int err = blkcg_policy_register(&cfqx_policy);

	if (err)
		pr_err("cfqx: the kernel has no room for another cgroup I/O policy (%d)\n",
		       err);
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
