// SPDX-License-Identifier: GPL-2.0
/*
 * The volatile write cache of the modelled disk. Only its timing: the data is in
 * the store from the moment a command arrives, and power never fails.
 *
 * A write passes the interface into the cache, one at a time and in order of
 * arrival, and is complete when it is there; a full cache makes it wait. The
 * mechanics writes dirty entries back in the disk's own order: one sweep upwards,
 * taking the cheapest to reach of the next few, so that an entry left behind is
 * met in the next sweep. A flush passes the interface behind the writes before
 * it and is complete when everything that was dirty then is on the medium.
 *
 * Writes with FUA, and writes larger than the cache, go to the medium as if there
 * were none.
 *
 * Everything here runs under mdisk.lock.
 */
#include <linux/slab.h>

#include "modeldisk.h"

#define SWEEP_WINDOW	16
#define MAX_RUN		8	/* write-backs while a command waits */
#define MIN_ENTRIES	64
#define MAX_ENTRIES	16384
#define ENTRY_SECTORS	8	/* a cache full of 4 KiB writes has an entry each */

static struct mdisk_dirty *to_dirty(struct rb_node *n)
{
	return rb_entry(n, struct mdisk_dirty, rb);
}

/**
 * mdisk_cache_accepts() - does a command go through the cache
 * @d: the disk
 * @cmd: the command
 *
 * Context: any, nothing changes while the disk exists.
 */
bool mdisk_cache_accepts(const struct mdisk *d, const struct mdisk_cmd *cmd)
{
	if (cmd->flush)
		return true;
	return cmd->job.write && !cmd->fua && cmd->job.nr <= d->cache.size;
}

/**
 * mdisk_cache_admit() - let the next command onto the interface
 * @d: the disk
 * @t: now
 *
 * Context: mdisk.lock held.
 */
void mdisk_cache_admit(struct mdisk *d, u64 t)
{
	struct mdisk_cache *c = &d->cache;
	struct mdisk_cmd *cmd;

	lockdep_assert_held(&d->lock);
	if (c->taking || list_empty(&c->incoming))
		return;
	cmd = list_first_entry(&c->incoming, struct mdisk_cmd, job.node);
	if (!cmd->flush &&
	    (c->used + cmd->job.nr > c->size || list_empty(&c->free)))
		return;
	list_del_init(&cmd->job.node);
	c->used += cmd->job.nr;
	c->taking = cmd;
	c->due = max(t, cmd->job.ready) + cmd->job.span.iface;
}

static void insert_dirty(struct mdisk_cache *c, struct mdisk_dirty *new)
{
	struct rb_node **p = &c->dirty.rb_node, *parent = NULL;

	while (*p) {
		parent = *p;
		if (new->job.span.first < to_dirty(parent)->job.span.first)
			p = &parent->rb_left;
		else
			p = &parent->rb_right;
	}
	rb_link_node(&new->rb, parent, p);
	rb_insert_color(&new->rb, &c->dirty);
	c->nr_dirty++;
}

/**
 * mdisk_cache_taken() - the interface is done with a command
 * @d: the disk
 *
 * Context: mdisk.lock held. Return: the write, complete now, or NULL if it was a
 * flush.
 */
struct mdisk_cmd *mdisk_cache_taken(struct mdisk *d)
{
	struct mdisk_cache *c = &d->cache;
	struct mdisk_cmd *cmd = c->taking;
	struct mdisk_dirty *entry;

	lockdep_assert_held(&d->lock);
	c->taking = NULL;
	c->due = U64_MAX;
	if (cmd->flush) {
		cmd->seq = c->seq;
		list_add_tail(&cmd->job.node, &c->flushes);
		return NULL;
	}
	/* admission made sure of one */
	entry = list_first_entry(&c->free, struct mdisk_dirty, job.node);
	list_move_tail(&entry->job.node, &c->unwritten);
	entry->job.span = cmd->job.span;
	entry->job.sector = cmd->job.sector;
	entry->job.nr = cmd->job.nr;
	entry->seq = c->seq++;
	insert_dirty(c, entry);
	return cmd;
}

/*
 * Entries are taken back in any order, but become dirty in order: the oldest that
 * is not written decides.
 */
static u64 oldest_seq(const struct mdisk_cache *c)
{
	if (list_empty(&c->unwritten))
		return c->seq;
	return list_first_entry(&c->unwritten, struct mdisk_dirty,
				job.node)->seq;
}

/**
 * mdisk_cache_flushed() - the next flush that is complete
 * @d: the disk
 *
 * Context: mdisk.lock held. Return: a flush, no longer listed, or NULL.
 */
struct mdisk_cmd *mdisk_cache_flushed(struct mdisk *d)
{
	struct mdisk_cache *c = &d->cache;
	struct mdisk_cmd *cmd;

	lockdep_assert_held(&d->lock);
	if (list_empty(&c->flushes))
		return NULL;
	cmd = list_first_entry(&c->flushes, struct mdisk_cmd, job.node);
	if (oldest_seq(c) < cmd->seq)
		return NULL;
	list_del_init(&cmd->job.node);
	return cmd;
}

/**
 * mdisk_cache_urgent() - may write-back compete with commands
 * @d: the disk
 *
 * While there is room and nobody waits for a flush, it only uses the time that
 * commands leave; and it never keeps them waiting for long.
 *
 * Context: mdisk.lock held.
 */
bool mdisk_cache_urgent(const struct mdisk *d)
{
	const struct mdisk_cache *c = &d->cache;

	if (c->run >= MAX_RUN)
		return false;
	return !list_empty(&c->flushes) || c->used > c->size / 4 * 3 ||
	       (!list_empty(&c->incoming) && !c->taking);
}

/* The first dirty entry not before @media, else the first of all. */
static struct rb_node *sweep_from(const struct mdisk_cache *c, u64 media)
{
	struct rb_node *n = c->dirty.rb_node, *found = NULL;

	while (n) {
		if (to_dirty(n)->job.span.first < media) {
			n = n->rb_right;
		} else {
			found = n;
			n = n->rb_left;
		}
	}
	return found ? found : rb_first(&c->dirty);
}

/* Without an order of its own the disk writes back first come, first served. */
static struct mdisk_job *oldest(struct mdisk *d, u64 t, u64 *wait)
{
	struct mdisk_job *job;

	if (!d->cache.nr_dirty)
		return NULL;
	/* there is one arm, and it is idle: nothing is being written */
	job = list_first_entry(&d->cache.unwritten, struct mdisk_job, node);
	*wait = mdisk_access(&d->model, &d->head, t, &job->span, true) - t;
	return job;
}

/**
 * mdisk_cache_pick() - the entry to write back next
 * @d: the disk
 * @t: now
 * @wait: set to the time until its data would move
 *
 * Context: mdisk.lock held. Return: its job, or NULL if nothing is dirty. It stays
 * in the cache until mdisk_cache_start().
 */
struct mdisk_job *mdisk_cache_pick(struct mdisk *d, u64 t, u64 *wait)
{
	struct mdisk_cache *c = &d->cache;
	u64 before = U64_MAX, least = U64_MAX;
	struct mdisk_job *best = NULL;
	u32 seen = 0, looked = 0;
	struct rb_node *n;

	lockdep_assert_held(&d->lock);
	if (!d->cfg.reorder)
		return oldest(d, t, wait);
	n = sweep_from(c, mdisk_head_pos(&d->head, t));
	if (!list_empty(&c->flushes))
		before = list_first_entry(&c->flushes, struct mdisk_cmd,
					  job.node)->seq;
	for (; n && seen < SWEEP_WINDOW && looked < c->nr_dirty; looked++) {
		struct mdisk_dirty *e = to_dirty(n);

		if (e->seq < before) {
			u64 begin = mdisk_access(&d->model, &d->head, t,
						 &e->job.span, true);

			if (begin - t < least) {
				least = begin - t;
				best = &e->job;
			}
			seen++;
		}
		n = rb_next(n);
		if (!n)
			n = rb_first(&c->dirty);
	}
	*wait = least;
	return best;
}

/**
 * mdisk_cache_start() - an entry is being written back
 * @d: the disk
 * @job: what mdisk_cache_pick() returned
 *
 * Context: mdisk.lock held.
 */
void mdisk_cache_start(struct mdisk *d, struct mdisk_job *job)
{
	struct mdisk_dirty *e = container_of(job, struct mdisk_dirty, job);

	lockdep_assert_held(&d->lock);
	rb_erase(&e->rb, &d->cache.dirty);
	d->cache.nr_dirty--;
	d->cache.run++;
}

/**
 * mdisk_cache_written() - an entry is on the medium
 * @d: the disk
 * @job: what mdisk_cache_start() was told of
 *
 * Context: mdisk.lock held.
 */
void mdisk_cache_written(struct mdisk *d, struct mdisk_job *job)
{
	lockdep_assert_held(&d->lock);
	list_move(&job->node, &d->cache.free);
	d->cache.used -= job->nr;
}

/**
 * mdisk_cache_init() - an empty cache
 * @d: the disk, cfg set
 *
 * Context: process, before the disk is visible. Return: 0 or -ENOMEM.
 */
int mdisk_cache_init(struct mdisk *d)
{
	struct mdisk_cache *c = &d->cache;
	u32 nr = clamp_t(u32, d->cfg.cache_sectors / ENTRY_SECTORS,
			 MIN_ENTRIES, MAX_ENTRIES);
	u32 i;

	c->size = d->cfg.cache_sectors;
	c->due = U64_MAX;
	c->dirty = RB_ROOT;
	INIT_LIST_HEAD(&c->incoming);
	INIT_LIST_HEAD(&c->flushes);
	INIT_LIST_HEAD(&c->unwritten);
	INIT_LIST_HEAD(&c->free);
	if (!c->size)
		return 0;
	c->entry = kvcalloc(nr, sizeof(*c->entry), GFP_KERNEL);
	if (!c->entry)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		c->entry[i].job.write = true;
		c->entry[i].job.writeback = true;
		list_add_tail(&c->entry[i].job.node, &c->free);
	}
	return 0;
}

/**
 * mdisk_cache_free() - free the cache's memory
 * @d: the disk, its engine stopped
 *
 * Context: process.
 */
void mdisk_cache_free(struct mdisk *d)
{
	kvfree(d->cache.entry);
}
