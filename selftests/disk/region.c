// SPDX-License-Identifier: GPL-2.0
/*
 * Regions of the modelled disk: which name a sector belongs to, and what that
 * name has cost the device. Every nanosecond, byte and request lands in exactly
 * one region, those of sectors without a name in "other"; so the regions' sum is
 * the device's total, at any moment, also across changes of the set.
 *
 * The set changes under mdisk.config and mdisk.lock; charging needs mdisk.lock.
 */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "modeldisk.h"

/* The extent holding @sector, else the next behind it, else NULL. */
static struct mdisk_extent *find_extent(struct mdisk *d, u64 sector)
{
	struct rb_node *n = d->extents.rb_node;
	struct mdisk_extent *next = NULL;

	while (n) {
		struct mdisk_extent *x = rb_entry(n, struct mdisk_extent, rb);

		if (sector >= x->end) {
			n = n->rb_right;
		} else {
			next = x;
			n = sector < x->first ? n->rb_left : NULL;
		}
	}
	return next;
}

/*
 * The region at @sector, and up to where it goes on (or something else may
 * begin).
 */
static struct mdisk_region *region_at(struct mdisk *d, u64 sector, u64 *end)
{
	struct mdisk_extent *x = find_extent(d, sector);

	if (!x) {
		*end = U64_MAX;
		return &d->other;
	}
	*end = sector < x->first ? x->first : x->end;
	return sector < x->first ? &d->other : x->region;
}

/**
 * mdisk_charge() - account time of the device to whom it worked for
 * @d: the disk
 * @job: what it did
 * @ns: for how long
 *
 * A job across a border is split by size, the rest of the division going to the
 * last part.
 *
 * Context: mdisk.lock held.
 */
void mdisk_charge(struct mdisk *d, const struct mdisk_job *job, u64 ns)
{
	u64 sector = job->sector, last = job->sector + job->nr, end;
	struct mdisk_region *r;
	u64 left = ns;

	lockdep_assert_held(&d->lock);
	for (;;) {
		u64 part;

		r = region_at(d, sector, &end);
		if (end >= last)
			break;
		part = mul_u64_u32_div(ns, end - sector, job->nr);
		r->counts.busy[job->write] += part;
		left -= part;
		sector = end;
	}
	r->counts.busy[job->write] += left;
}

/**
 * mdisk_count() - account a completed request
 * @d: the disk
 * @job: what it was
 *
 * The request counts for the region of its first sector, its bytes for those
 * they lie in.
 *
 * Context: mdisk.lock held.
 */
void mdisk_count(struct mdisk *d, const struct mdisk_job *job)
{
	u64 sector = job->sector, last = job->sector + job->nr;
	u64 first = 1;

	lockdep_assert_held(&d->lock);
	while (sector < last) {
		struct mdisk_region *r;
		u64 end;

		r = region_at(d, sector, &end);
		end = min(end, last);
		r->counts.reqs[job->write] += first;
		r->counts.bytes[job->write] += (end - sector) << SECTOR_SHIFT;
		first = 0;
		sector = end;
	}
}

static void fold(struct mdisk_counts *to, const struct mdisk_counts *from)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		to->busy[i] += from->busy[i];
		to->bytes[i] += from->bytes[i];
		to->reqs[i] += from->reqs[i];
	}
}

static struct mdisk_region *find_region(struct mdisk *d, const char *name)
{
	struct mdisk_region *r;

	lockdep_assert_held(&d->config);
	list_for_each_entry(r, &d->regions, node) {
		if (!strcmp(r->name, name))
			return r;
	}
	return NULL;
}

static struct mdisk_region *new_region(struct mdisk *d, const char *name)
{
	struct mdisk_region *r;

	if (d->nr_regions >= MDISK_MAX_REGIONS)
		return ERR_PTR(-ENOSPC);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	strscpy(r->name, name, sizeof(r->name));
	spin_lock_irq(&d->lock);
	/* before "other", which stays last */
	list_add_tail(&r->node, &d->other.node);
	d->nr_regions++;
	spin_unlock_irq(&d->lock);
	return r;
}

/* Take an extent out of the tree, and its region with the last of them. */
static void drop_extent(struct mdisk *d, struct mdisk_extent *x)
{
	struct mdisk_region *r = x->region;

	lockdep_assert_held(&d->config);
	spin_lock_irq(&d->lock);
	/* time up to now still belongs to the old set */
	mdisk_settle_now(d);
	rb_erase(&x->rb, &d->extents);
	if (!--r->extents) {
		fold(&d->other.counts, &r->counts);
		list_del(&r->node);
		d->nr_regions--;
	}
	spin_unlock_irq(&d->lock);
	if (!r->extents)
		kfree(r);
	kfree(x);
}

static int insert_extent(struct mdisk *d, struct mdisk_extent *x)
{
	struct rb_node **p = &d->extents.rb_node, *parent = NULL;

	lockdep_assert_held(&d->lock);
	while (*p) {
		struct mdisk_extent *o = rb_entry(*p, struct mdisk_extent, rb);

		parent = *p;
		if (x->end <= o->first)
			p = &parent->rb_left;
		else if (x->first >= o->end)
			p = &parent->rb_right;
		else
			return -EEXIST;
	}
	mdisk_settle_now(d);
	rb_link_node(&x->rb, parent, p);
	rb_insert_color(&x->rb, &d->extents);
	x->region->extents++;
	return 0;
}

static int add_extent(struct mdisk *d, struct mdisk_extent *x,
		      const char *name)
{
	struct mdisk_region *r = find_region(d, name);
	bool fresh = !r;
	int err;

	if (fresh)
		r = new_region(d, name);
	if (IS_ERR(r))
		return PTR_ERR(r);
	x->region = r;
	spin_lock_irq(&d->lock);
	err = insert_extent(d, x);
	if (err && fresh) {
		list_del(&r->node);
		d->nr_regions--;
	}
	spin_unlock_irq(&d->lock);
	if (err && fresh)
		kfree(r);
	return err;
}

static bool valid_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++) {
		if (!isalnum(*c) && !strchr("_-.:@/", *c))
			return false;
	}
	return c > name && c - name < MDISK_NAME_LEN;
}

/* "add NAME START_SECTOR NR_SECTORS"; @line is cut up. */
static int parse_add(struct mdisk *d, char *line, struct mdisk_extent *x,
		     char **name)
{
	char *word[4];
	u64 first, nr;
	int i;

	for (i = 0; i < 4; i++) {
		line = skip_spaces(line);
		word[i] = strsep(&line, " \t");
		if (!word[i] || (!line && i < 3))
			return -EINVAL;
	}
	if (line && *skip_spaces(line))
		return -EINVAL;
	if (strcmp(word[0], "add") || !valid_name(word[1]))
		return -EINVAL;
	if (kstrtou64(word[2], 10, &first) || kstrtou64(word[3], 10, &nr))
		return -EINVAL;
	if (!nr)
		return -EINVAL;
	if (first >= d->model.sectors || nr > d->model.sectors - first)
		return -ERANGE;
	if (mdisk_name_is_taken(word[1]))
		return -EEXIST;
	x->first = first;
	x->end = first + nr;
	*name = word[1];
	return 0;
}

static int add_line(struct mdisk *d, char *line, struct list_head *batch)
{
	struct mdisk_extent *x = kzalloc(sizeof(*x), GFP_KERNEL);
	char *name;
	int err;

	if (!x)
		return -ENOMEM;
	err = parse_add(d, line, x, &name);
	if (!err)
		err = add_extent(d, x, name);
	if (err)
		kfree(x);
	else
		list_add(&x->batch, batch);
	return err;
}

/**
 * mdisk_regions_add() - add extents
 * @d: the disk
 * @lines: one command a line; cut up
 *
 * Context: process, mdisk.config held; takes mdisk.lock. Return: 0 or an error;
 * then nothing has changed.
 */
int mdisk_regions_add(struct mdisk *d, char *lines)
{
	struct mdisk_extent *x, *next;
	LIST_HEAD(batch);
	char *line;
	int err = 0;

	lockdep_assert_held(&d->config);
	while (!err && (line = strsep(&lines, "\n"))) {
		if (*skip_spaces(line))
			err = add_line(d, line, &batch);
	}
	if (err) {
		list_for_each_entry_safe(x, next, &batch, batch)
			drop_extent(d, x);
	}
	return err;
}

/**
 * mdisk_regions_clear() - forget all names
 * @d: the disk
 *
 * What they have cost goes to "other".
 *
 * Context: process, mdisk.config held; takes mdisk.lock.
 */
void mdisk_regions_clear(struct mdisk *d)
{
	struct rb_node *n;

	lockdep_assert_held(&d->config);
	while ((n = rb_first(&d->extents)))
		drop_extent(d, rb_entry(n, struct mdisk_extent, rb));
}

/**
 * mdisk_reset() - start counting anew
 * @d: the disk
 *
 * Context: process, mdisk.config held; takes mdisk.lock.
 */
void mdisk_reset(struct mdisk *d)
{
	struct mdisk_region *r;
	u64 settled;

	lockdep_assert_held(&d->config);
	spin_lock_irq(&d->lock);
	mdisk_settle_now(d);
	settled = d->totals.settled;
	memset(&d->totals, 0, sizeof(d->totals));
	d->totals.since = settled;
	d->totals.settled = settled;
	list_for_each_entry(r, &d->regions, node)
		memset(&r->counts, 0, sizeof(r->counts));
	spin_unlock_irq(&d->lock);
}

/**
 * mdisk_regions_init() - everything is "other"
 * @d: the disk
 *
 * Context: process, before the disk is visible.
 */
void mdisk_regions_init(struct mdisk *d)
{
	mutex_init(&d->config);
	d->extents = RB_ROOT;
	INIT_LIST_HEAD(&d->regions);
	strscpy(d->other.name, "other", sizeof(d->other.name));
	list_add(&d->other.node, &d->regions);
	d->nr_regions = 1;
}

/**
 * mdisk_regions_exit() - free the set of regions
 * @d: the disk, invisible again
 *
 * Context: process. Takes mdisk.config and mdisk.lock.
 */
void mdisk_regions_exit(struct mdisk *d)
{
	mutex_lock(&d->config);
	mdisk_regions_clear(d);
	mutex_unlock(&d->config);
}
