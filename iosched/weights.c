// SPDX-License-Identifier: GPL-2.0
/*
 * A cgroup's weights: the files they are set and shown in, and how its groups
 * come to know them.
 *
 * Weights belong to the cgroup (struct cfqx_cgroup), so they may be set while
 * no device uses cfqx; a group takes its weight from there when it comes up.
 *
 * Locking: blkcg.lock protects the weights of a cgroup; groups are changed
 * under cfqx_data.lock inside.
 */
#include <linux/slab.h>

#include "cfqx.h"

static inline struct cfqx_group *blkg_to_group(struct blkcg_gq *blkg)
{
	struct blkg_policy_data *pd = blkg->pd[cfqx_policy.plid];

	return pd ? container_of(pd, struct cfqx_group, pd) : NULL;
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

static unsigned int weight_on(struct blkcg *blkcg, enum cfqx_weighs of,
			      dev_t dev)
{
	struct cfqx_override *override = find_override(blkcg, of, dev);

	return override ? override->weight : default_weight(blkcg, of);
}

/**
 * cfqx_weights_apply - tell a group the weights of its cgroup
 * @group: the group
 * @blkcg: its cgroup
 *
 * Context: blkcg->lock held; takes cfqx_data.lock.
 */
void cfqx_weights_apply(struct cfqx_group *group, struct blkcg *blkcg)
{
	struct cfqx_data *cfqd = group->cfqd;
	dev_t dev = disk_devt(cfqd->rqq->disk);

	spin_lock(&cfqd->lock);
	cfqx_group_set_weight(group, weight_on(blkcg, CFQX_GROUP, dev),
			      weight_on(blkcg, CFQX_LEAF, dev));
	spin_unlock(&cfqd->lock);
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
			cfqx_weights_apply(group, blkcg);
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

/**
 * cfqx_weight_write - io.cfqx.weight: set a default, or a weight on one disk
 * @of: the file
 * @buf: what is written
 * @nbytes: how much
 * @off: where to, of no meaning
 *
 * Context: process.
 * Return: @nbytes, or -EINVAL, -ERANGE, -ENODEV, -ENOMEM: nothing changed then.
 */
ssize_t cfqx_weight_write(struct kernfs_open_file *of, char *buf, size_t nbytes,
			  loff_t off)
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

/**
 * cfqx_weight_write_v1 - blkio.weight, blkio.leaf_weight: set a default
 * @of: the file
 * @buf: what is written
 * @nbytes: how much
 * @off: where to, of no meaning
 *
 * Context: process.
 * Return: @nbytes, or -EINVAL, -ERANGE, -ENODEV, -ENOMEM: nothing changed then.
 */
ssize_t cfqx_weight_write_v1(struct kernfs_open_file *of, char *buf,
			     size_t nbytes, loff_t off)
{
	return set_default(of_to_blkcg(of), of_cft(of)->private, strim(buf)) ?:
	       nbytes;
}

/**
 * cfqx_weight_device_write_v1 - blkio.*weight_device: on one disk
 * @of: the file
 * @buf: what is written
 * @nbytes: how much
 * @off: where to, of no meaning
 *
 * Context: process.
 * Return: @nbytes, or -EINVAL, -ERANGE, -ENODEV, -ENOMEM: nothing changed then.
 */
ssize_t cfqx_weight_device_write_v1(struct kernfs_open_file *of, char *buf,
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

/**
 * cfqx_weight_show - io.cfqx.weight: the default, then those of single disks
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_weight_show(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "default %u\n", default_weight(blkcg, CFQX_GROUP));
	show_overrides(sf, blkcg, CFQX_GROUP);
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

/**
 * cfqx_weight_show_v1 - blkio.weight, blkio.leaf_weight: the default
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_weight_show_v1(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "%u\n", default_weight(blkcg, seq_cft(sf)->private));
	spin_unlock_irq(&blkcg->lock);
	return 0;
}

/**
 * cfqx_weight_device_show_v1 - blkio.*weight_device: those of single disks
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_weight_device_show_v1(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	seq_puts(sf, "dev\tweight\n");
	spin_lock_irq(&blkcg->lock);
	show_overrides(sf, blkcg, seq_cft(sf)->private);
	spin_unlock_irq(&blkcg->lock);
	return 0;
}
