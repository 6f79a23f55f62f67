// SPDX-License-Identifier: GPL-2.0
/*
 * The weight alias: with weight_alias=bfq the weight files also go by bfq's
 * names, for tools that know only those.
 *
 *	v2  io.bfq.weight		default N, MAJ:MIN N, MAJ:MIN default
 *	v1  blkio.bfq.weight		N
 *	    blkio.bfq.weight_device	as the first
 *
 * They count, and are written and read, as bfq's are: from 1 to 1000, 100 if
 * never set.  What they set is what cfqx's own files set.  On v1 those have 500
 * where bfq has 100, so 1 here is 5 there.
 *
 * Both modules cannot have files of these names, and the core warns, with files
 * half made, if they try: so neither loads while the other is there.
 *
 * Locking: none here; weights.c takes blkcg.lock.
 */
#include "cfqx.h"

static char *weight_alias = "";
module_param(weight_alias, charp, 0444);
MODULE_PARM_DESC(weight_alias,
		 "Have the weight files under another scheduler's names as well: bfq, or nothing (default)");

static const struct cfqx_weight_scale *bfq_scale(void)
{
	static const struct cfqx_weight_scale v2 = { 1, 1000, 1, true };
	static const struct cfqx_weight_scale v1 = {
		1, 1000, CFQX_V1_WEIGHT_DEFAULT / CFQX_V2_WEIGHT_DEFAULT, true
	};

	return cgroup_subsys_on_dfl(io_cgrp_subsys) ? &v2 : &v1;
}

static int show(struct seq_file *sf, void *v)
{
	cfqx_weight_print(sf, bfq_scale());
	return 0;
}

static int show_default(struct seq_file *sf, void *v)
{
	cfqx_weight_print_default(sf, CFQX_GROUP, bfq_scale());
	return 0;
}

static ssize_t write(struct kernfs_open_file *of, char *buf, size_t nbytes,
		     loff_t off)
{
	struct blkcg *blkcg = container_of(of_css(of), struct blkcg, css);

	return cfqx_weight_set(blkcg, buf, bfq_scale()) ?: nbytes;
}

static ssize_t write_default(struct kernfs_open_file *of, char *buf,
			     size_t nbytes, loff_t off)
{
	struct blkcg *blkcg = container_of(of_css(of), struct blkcg, css);

	return cfqx_weight_set_default(blkcg, CFQX_GROUP, strim(buf),
				       bfq_scale()) ?: nbytes;
}

static const struct cftype bfq_weight __initconst = {
	.name = "bfq.weight",
	.flags = CFTYPE_NOT_ON_ROOT,
	.seq_show = show,
	.write = write,
};

static const struct cftype bfq_weight_v1 __initconst = {
	.name = "bfq.weight",
	.flags = CFTYPE_NOT_ON_ROOT,
	.seq_show = show_default,
	.write = write_default,
};

static const struct cftype bfq_weight_device_v1 __initconst = {
	.name = "bfq.weight_device",
	.flags = CFTYPE_NOT_ON_ROOT,
	.seq_show = show,
	.write = write,
};

/* Does bfq have its files?  A module is listed from before it has them. */
static bool __init bfq_is_there(void)
{
	struct kobject *bfq;

	if (!IS_ENABLED(CONFIG_BFQ_GROUP_IOSCHED))
		return false;
	if (IS_BUILTIN(CONFIG_IOSCHED_BFQ))
		return true;
	bfq = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, "bfq");
	kobject_put(bfq);
	return bfq;
}

static int refuse_bfq(struct notifier_block *nb, unsigned long state,
		      void *data)
{
	const struct module *module = data;

	if (!IS_ENABLED(CONFIG_BFQ_GROUP_IOSCHED) ||
	    state != MODULE_STATE_COMING || strcmp(module->name, "bfq"))
		return NOTIFY_DONE;
	pr_err("cfqx: bfq is refused: files of its names are there, by weight_alias=bfq\n");
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block modules = {
	.notifier_call = refuse_bfq,
};

static void __init append(struct cftype *files, const struct cftype *file)
{
	while (files->name[0])
		files++;
	*files = *file;
}

/**
 * cfqx_weight_alias_add - add the files of the alias that was asked for
 * @files: of v2, with room for one before its end
 * @files_v1: of v1, with room for two
 *
 * Context: process, before the files are registered; to be undone, if it returns
 * 0, by cfqx_weight_alias_end().
 * Return: 0, -EINVAL if there is no such alias, -EBUSY if bfq has these files.
 */
int __init cfqx_weight_alias_add(struct cftype *files, struct cftype *files_v1)
{
	int err;

	if (!*weight_alias)
		return 0;
	if (strcmp(weight_alias, "bfq")) {
		pr_err("cfqx: weight_alias=%s: there is no such alias, only bfq\n",
		       weight_alias);
		return -EINVAL;
	}
	err = register_module_notifier(&modules);
	if (err)
		return err;
	if (bfq_is_there()) {
		pr_err("cfqx: weight_alias=bfq: bfq is loaded and has files of these names; unload it first\n");
		unregister_module_notifier(&modules);
		return -EBUSY;
	}
	append(files, &bfq_weight);
	append(files_v1, &bfq_weight_v1);
	append(files_v1, &bfq_weight_device_v1);
	return 0;
}

/**
 * cfqx_weight_alias_end - the files of the alias are gone
 *
 * Context: process.
 */
void cfqx_weight_alias_end(void)
{
	if (*weight_alias)
		unregister_module_notifier(&modules);
}
