// SPDX-License-Identifier: GPL-2.0
/*
 * The files in /sys/kernel/debug/modeldisk/DISK/:
 *
 *	regions	read: the extents; write: "add NAME START NR" or "clear"
 *	stats	read: what each region has cost, and totals, all of one moment
 *	reset	write anything: counting starts anew
 *
 * Takes mdisk.config, and mdisk.lock inside it for the copy that stats prints.
 */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "modeldisk.h"

#define MAX_WRITE	SZ_1M

static struct dentry *root;

/* A consistent copy of all counters. */
struct snapshot {
	struct mdisk_totals totals;
	u64 pending;
	u64 cache_sectors;
	u64 store_pages;
	u64 store_failed;
	u32 nr;
	struct {
		struct mdisk_counts counts;
		char name[MDISK_NAME_LEN];
	} region[];
};

static struct snapshot *take_snapshot(struct mdisk *d)
{
	struct mdisk_region *r;
	struct snapshot *s;

	lockdep_assert_held(&d->config);
	s = kvzalloc(struct_size(s, region, d->nr_regions), GFP_KERNEL);
	if (!s)
		return NULL;
	spin_lock_irq(&d->lock);
	mdisk_settle_now(d);
	s->totals = d->totals;
	s->pending = mdisk_pending_response(d);
	s->cache_sectors = d->cache.used;
	list_for_each_entry(r, &d->regions, node) {
		s->region[s->nr].counts = r->counts;
		memcpy(s->region[s->nr].name, r->name, MDISK_NAME_LEN);
		s->nr++;
	}
	spin_unlock_irq(&d->lock);
	s->store_pages = READ_ONCE(d->store.pages);
	s->store_failed = READ_ONCE(d->store.failed);
	return s;
}

static u64 ratio(u64 n, u64 d)
{
	return d ? div64_u64(n, d) : 0;
}

/* The totals, in the order printed. No region may be called like one. */
enum total {
	T_CLOCK, T_BUSY, T_IDLE, T_TRANSFER, T_DEPTH, T_SERVICE_MEAN,
	T_SERVICE_MAX, T_RESPONSE_MEAN, T_RESPONSE_MAX, T_FLUSHES, T_CACHE_KIB,
	T_ERRORS, T_STORE_KIB, T_STORE_FAILED, T_NR,
};

static const char * const total_name[T_NR] = {
	[T_CLOCK]		= "clock_ns",
	[T_BUSY]		= "busy_ns",
	[T_IDLE]		= "idle_ns",
	[T_TRANSFER]		= "transfer_ns",
	[T_DEPTH]		= "mean_depth_milli",
	[T_SERVICE_MEAN]	= "service_mean_ns",
	[T_SERVICE_MAX]		= "service_max_ns",
	[T_RESPONSE_MEAN]	= "response_mean_ns",
	[T_RESPONSE_MAX]	= "response_max_ns",
	[T_FLUSHES]		= "flushes",
	[T_CACHE_KIB]		= "cache_dirty_kib",
	[T_ERRORS]		= "errors",
	[T_STORE_KIB]		= "store_kib",
	[T_STORE_FAILED]	= "store_failed",
};

/**
 * mdisk_name_is_taken() - is a name one that stats prints itself
 * @name: what a user would call a region
 *
 * Context: any.
 */
bool mdisk_name_is_taken(const char *name)
{
	u32 i;

	for (i = 0; i < T_NR; i++) {
		if (!strcmp(name, total_name[i]))
			return true;
	}
	return !strcmp(name, "region") || !strcmp(name, "total") ||
	       !strcmp(name, "other");
}

static void show_totals(struct seq_file *m, const struct snapshot *s)
{
	const struct mdisk_totals *t = &s->totals;
	u64 clock = t->settled - t->since;
	u64 response = t->response + s->pending;
	const u64 value[T_NR] = {
		[T_CLOCK]		= clock,
		[T_BUSY]		= t->busy,
		[T_IDLE]		= t->idle,
		[T_TRANSFER]		= t->transfer,
		[T_DEPTH]		= ratio(response, div_u64(clock, 1000)),
		[T_SERVICE_MEAN]	= ratio(t->service, t->served),
		[T_SERVICE_MAX]		= t->service_max,
		[T_RESPONSE_MEAN]	= ratio(t->response, t->finished),
		[T_RESPONSE_MAX]	= t->response_max,
		[T_FLUSHES]		= t->flushes,
		[T_CACHE_KIB]		= s->cache_sectors / 2,
		[T_ERRORS]		= t->errors,
		[T_STORE_KIB]		= s->store_pages * 4,
		[T_STORE_FAILED]	= s->store_failed,
	};
	u32 i;

	for (i = 0; i < T_NR; i++)
		seq_printf(m, "%s %llu\n", total_name[i], value[i]);
}

static void show_counts(struct seq_file *m, const char *name,
			const struct mdisk_counts *c)
{
	seq_printf(m, "%s %llu %llu %llu %llu %llu %llu %llu\n", name,
		   c->busy[0] + c->busy[1], c->busy[0], c->busy[1],
		   c->bytes[0], c->bytes[1], c->reqs[0], c->reqs[1]);
}

static int stats_show(struct seq_file *m, void *v)
{
	struct mdisk *d = m->private;
	struct mdisk_counts sum = {};
	struct snapshot *s;
	u32 i, k;

	mutex_lock(&d->config);
	s = take_snapshot(d);
	mutex_unlock(&d->config);
	if (!s)
		return -ENOMEM;
	seq_puts(m, "region busy_ns read_busy_ns write_busy_ns read_bytes write_bytes reads writes\n");
	for (i = 0; i < s->nr; i++) {
		const struct mdisk_counts *c = &s->region[i].counts;

		show_counts(m, s->region[i].name, c);
		for (k = 0; k < 2; k++) {
			sum.busy[k] += c->busy[k];
			sum.bytes[k] += c->bytes[k];
			sum.reqs[k] += c->reqs[k];
		}
	}
	show_counts(m, "total", &sum);
	show_totals(m, s);
	kvfree(s);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int regions_show(struct seq_file *m, void *v)
{
	struct mdisk *d = m->private;
	struct rb_node *n;

	mutex_lock(&d->config);
	for (n = rb_first(&d->extents); n; n = rb_next(n)) {
		struct mdisk_extent *x = rb_entry(n, struct mdisk_extent, rb);

		seq_printf(m, "%s %llu %llu\n", x->region->name, x->first,
			   x->end - x->first);
	}
	mutex_unlock(&d->config);
	return 0;
}

static int regions_open(struct inode *inode, struct file *file)
{
	return single_open(file, regions_show, inode->i_private);
}

static ssize_t regions_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	struct mdisk *d = file_inode(file)->i_private;
	int err = 0;
	char *buf;

	if (count > MAX_WRITE)
		return -E2BIG;
	buf = memdup_user_nul(ubuf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	mutex_lock(&d->config);
	if (strlen(buf) != count)
		err = -EINVAL;
	else if (sysfs_streq(buf, "clear"))
		mdisk_regions_clear(d);
	else
		err = mdisk_regions_add(d, buf);
	mutex_unlock(&d->config);
	kfree(buf);
	return err ? err : count;
}

static const struct file_operations regions_fops = {
	.owner		= THIS_MODULE,
	.open		= regions_open,
	.read		= seq_read,
	.write		= regions_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static ssize_t reset_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *ppos)
{
	struct mdisk *d = file_inode(file)->i_private;

	mutex_lock(&d->config);
	mdisk_reset(d);
	mutex_unlock(&d->config);
	return count;
}

static const struct file_operations reset_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= reset_write,
	.llseek		= noop_llseek,
};

/**
 * mdisk_debugfs_add() - make a disk's files
 * @d: the disk, complete
 *
 * Context: process.
 */
void mdisk_debugfs_add(struct mdisk *d)
{
	d->dir = debugfs_create_dir(d->disk->disk_name, root);
	debugfs_create_file("regions", 0600, d->dir, d, &regions_fops);
	debugfs_create_file("stats", 0400, d->dir, d, &stats_fops);
	debugfs_create_file("reset", 0200, d->dir, d, &reset_fops);
}

/**
 * mdisk_debugfs_init() - make the module's directory
 *
 * Context: process.
 */
void mdisk_debugfs_init(void)
{
	root = debugfs_create_dir("modeldisk", NULL);
}

/**
 * mdisk_debugfs_exit() - remove all files
 *
 * Context: process. Returns when nobody is in them any more.
 */
void mdisk_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
