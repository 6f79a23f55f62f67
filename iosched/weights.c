// SPDX-License-Identifier: GPL-2.0
/*
 * A cgroup's weights: the files they are set and shown in, and how its groups
 * come to know them.
 *
 * Weights belong to the cgroup (struct cfqx_cgroup), so they may be set while
 * no device uses cfqx; a group takes its weight from there when it comes up.
 * Files may differ in how they count: struct cfqx_weight_scale.
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

/* How cfqx's own files count. */
static const struct cfqx_weight_scale *own_scale(void)
{
	static const struct cfqx_weight_scale v2 = {
		CFQX_V2_WEIGHT_MIN, CFQX_V2_WEIGHT_MAX, 1
	};
	static const struct cfqx_weight_scale v1 = {
		CFQX_V1_WEIGHT_MIN, CFQX_V1_WEIGHT_MAX, 1
	};

	return cgroup_subsys_on_dfl(io_cgrp_subsys) ? &v2 : &v1;
}

static int parse_weight(const char *text, const struct cfqx_weight_scale *scale,
			unsigned int *weight)
{
	int err = kstrtouint(text, 10, weight);

	if (err)
		return err;
	if (*weight < scale->min || *weight > scale->max)
		return -ERANGE;
	*weight *= scale->unit;
	return 0;
}

/**
 * cfqx_overrides_free - free weights of single disks
 * @overrides: a list of them that nobody else has
 */
void cfqx_overrides_free(struct list_head *overrides)
{
	struct cfqx_override *override, *next;

	list_for_each_entry_safe(override, next, overrides, link)
		kfree(override);
}

/**
 * cfqx_weight_set_default - set a cgroup's weight where there is no override
 * @blkcg: the cgroup
 * @of: which of its weights
 * @text: a number, with nothing around it
 * @scale: how it counts
 *
 * Context: process; takes blkcg->lock.
 * Return: 0, or -EINVAL or -ERANGE: nothing changed then.
 */
int cfqx_weight_set_default(struct blkcg *blkcg, enum cfqx_weighs of,
			    const char *text,
			    const struct cfqx_weight_scale *scale)
{
	struct cfqx_weight *weight = &blkcg_to_cgroup(blkcg)->weight[of];
	unsigned int value;
	LIST_HEAD(dropped);
	int err = parse_weight(text, scale, &value);

	if (err)
		return err;
	spin_lock_irq(&blkcg->lock);
	weight->value = value;
	if (scale->default_for_all)
		list_splice_init(&weight->overrides, &dropped);
	update_groups(blkcg);
	spin_unlock_irq(&blkcg->lock);
	cfqx_overrides_free(&dropped);
	return 0;
}

/**
 * cfqx_weights_reset - forget what was set
 * @blkcg: the cgroup
 *
 * Context: process; takes blkcg->lock.
 */
void cfqx_weights_reset(struct blkcg *blkcg)
{
	struct cfqx_weight *weight = blkcg_to_cgroup(blkcg)->weight;
	LIST_HEAD(dropped);
	unsigned int i;

	spin_lock_irq(&blkcg->lock);
	for (i = 0; i < CFQX_NR_WEIGHS; i++) {
		weight[i].value = 0;
		list_splice_init(&weight[i].overrides, &dropped);
	}
	update_groups(blkcg);
	spin_unlock_irq(&blkcg->lock);
	cfqx_overrides_free(&dropped);
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
		      const char *none, const struct cfqx_weight_scale *scale)
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
		err = parse_weight(value, scale, &weight);
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
 * cfqx_weight_set - set a default, or a weight on one disk
 * @blkcg: the cgroup, whose weight among its siblings is set
 * @text: "default N" or "N", "MAJ:MIN N" or "MAJ:MIN default"
 * @scale: how N counts
 *
 * Context: process; takes blkcg->lock.
 * Return: 0, or -EINVAL, -ERANGE, -ENODEV, -ENOMEM: nothing changed then.
 */
int cfqx_weight_set(struct blkcg *blkcg, char *text,
		    const struct cfqx_weight_scale *scale)
{
	text = strim(text);
	if (strchr(text, ':'))
		return set_device(blkcg, CFQX_GROUP, text, "default", scale);
	if (str_has_prefix(text, "default "))
		text = strim(text + strlen("default "));
	return cfqx_weight_set_default(blkcg, CFQX_GROUP, text, scale);
}

/**
 * cfqx_weight_write - io.cfqx.weight: set a default, or a weight on one disk
 * @of: the file
 * @buf: what is written
 * @nbytes: how much
 * @off: where to, of no meaning
 *
 * Context: process.
 * Return: @nbytes, or an error of cfqx_weight_set().
 */
ssize_t cfqx_weight_write(struct kernfs_open_file *of, char *buf, size_t nbytes,
			  loff_t off)
{
	return cfqx_weight_set(of_to_blkcg(of), buf, own_scale()) ?: nbytes;
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
	return cfqx_weight_set_default(of_to_blkcg(of), of_cft(of)->private,
				       strim(buf), own_scale()) ?: nbytes;
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
			  "0", own_scale()) ?: nbytes;
}

/* Showing weights */

static unsigned int shown(unsigned int weight,
			  const struct cfqx_weight_scale *scale)
{
	return max(DIV_ROUND_CLOSEST(weight, scale->unit), 1U);
}

static void show_overrides(struct seq_file *sf, struct blkcg *blkcg,
			   enum cfqx_weighs of,
			   const struct cfqx_weight_scale *scale)
{
	struct cfqx_weight *weight = &blkcg_to_cgroup(blkcg)->weight[of];
	struct cfqx_override *override;

	list_for_each_entry(override, &weight->overrides, link)
		seq_printf(sf, "%u:%u %u\n", MAJOR(override->dev),
			   MINOR(override->dev),
			   shown(override->weight, scale));
}

/**
 * cfqx_weight_print_default - "N": a weight where there is no override
 * @sf: where to, a file of the cgroup
 * @of: which of its weights
 * @scale: how it counts
 *
 * Context: process; takes blkcg.lock.
 */
void cfqx_weight_print_default(struct seq_file *sf, enum cfqx_weighs of,
			       const struct cfqx_weight_scale *scale)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "%u\n", shown(default_weight(blkcg, of), scale));
	spin_unlock_irq(&blkcg->lock);
}

/**
 * cfqx_weight_print - "default N", and "MAJ:MIN N" for single disks
 * @sf: where to, a file of the cgroup
 * @scale: how N counts
 *
 * Context: process; takes blkcg.lock.
 */
void cfqx_weight_print(struct seq_file *sf,
		       const struct cfqx_weight_scale *scale)
{
	struct blkcg *blkcg = seq_to_blkcg(sf);

	spin_lock_irq(&blkcg->lock);
	seq_printf(sf, "default %u\n",
		   shown(default_weight(blkcg, CFQX_GROUP), scale));
	show_overrides(sf, blkcg, CFQX_GROUP, scale);
	spin_unlock_irq(&blkcg->lock);
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
	cfqx_weight_print(sf, own_scale());
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
	cfqx_weight_print_default(sf, seq_cft(sf)->private, own_scale());
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
	show_overrides(sf, blkcg, seq_cft(sf)->private, own_scale());
	spin_unlock_irq(&blkcg->lock);
	return 0;
}
