/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of modeldisk share.
 *
 *	main.c		the blk-mq device
 *	params.c	what the user chose
 *	engine.c	which command is served when; busy time
 *	cache.c		the volatile write cache
 *	model.c		how long it takes
 *	store.c		the data
 *	region.c	whom a nanosecond belongs to
 *	debugfs.c	the files to tell and to ask
 *
 * Locks, outermost first:
 *
 *	mdisk.config	mutex	 set of regions; held by debugfs files only
 *	mdisk.lock	spinlock engine, extent tree, counters; taken from the timer
 *				 in hard interrupt context, so irqs are off
 *	store.lock	spinlock pages of the store; process context, from
 *				 queue_rq() and the refill work; never nests with
 *				 mdisk.lock
 *
 * The extent tree and the list of regions change under config and lock; either
 * is enough to read them.
 */
#ifndef MODELDISK_H
#define MODELDISK_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "model.h"

#define MDISK_MAX_CHANNELS	64
#define MDISK_MAX_REGIONS	4096
#define MDISK_NAME_LEN		32

/**
 * struct mdisk_counts - what a region has cost; index 0 reads, 1 writes
 * @busy: nanoseconds the device worked for it
 * @bytes: bytes of its completed requests
 * @reqs: its completed requests
 */
struct mdisk_counts {
	u64 busy[2];
	u64 bytes[2];
	u64 reqs[2];
};

/**
 * struct mdisk_region - a name for one or more ranges of sectors
 * @node: in mdisk.regions
 * @extents: number of extents in the tree
 * @counts: protected by mdisk.lock
 * @name: unique on its disk
 */
struct mdisk_region {
	struct list_head node;
	u32 extents;
	struct mdisk_counts counts;
	char name[MDISK_NAME_LEN];
};

/**
 * struct mdisk_extent - a range of sectors belonging to a region
 * @rb: in mdisk.extents, by @first; extents never overlap
 * @batch: while being added
 * @region: owner
 * @first: first sector
 * @end: sector behind the last
 */
struct mdisk_extent {
	struct rb_node rb;
	struct list_head batch;
	struct mdisk_region *region;
	u64 first;
	u64 end;
};

/**
 * struct mdisk_job - work for the mechanics
 * @node: in a list of the engine
 * @span: the same in media time
 * @sector: first sector
 * @nr: number of sectors
 * @write: direction, also the index into struct mdisk_counts
 * @writeback: an entry of the write cache, else a command
 * @arrival: when the device got it
 * @ready: when the device can have decoded it
 */
struct mdisk_job {
	struct list_head node;
	struct mdisk_span span;
	u64 sector;
	u32 nr;
	bool write;
	bool writeback;
	u64 arrival;
	u64 ready;
};

/**
 * struct mdisk_cmd - a request's private part
 * @job: what there is to do
 * @flush: a flush, without sectors
 * @fua: the write must reach the medium
 * @seq: of a flush: entries of the cache that became dirty before this
 * @status: how moving the data went
 */
struct mdisk_cmd {
	struct mdisk_job job;
	bool flush;
	bool fua;
	u64 seq;
	blk_status_t status;
};

/**
 * struct mdisk_server - something that serves one job at a time
 * @job: being served, or NULL
 * @start: when it turned to @job
 * @done: when it will be done
 */
struct mdisk_server {
	struct mdisk_job *job;
	u64 start;
	u64 done;
};

/**
 * struct mdisk_dirty - an entry of the write cache
 * @job: its write-back; in mdisk_cache.free, or in unwritten until it is done
 * @rb: in mdisk_cache.dirty until it begins
 * @seq: its age
 */
struct mdisk_dirty {
	struct mdisk_job job;
	struct rb_node rb;
	u64 seq;
};

/**
 * struct mdisk_cache - the write cache; protected by mdisk.lock
 * @size: capacity in sectors, 0 if there is none
 * @used: sectors dirty or being taken
 * @entry: all entries
 * @free: entries not in use
 * @unwritten: entries not yet on the medium, oldest first
 * @dirty: those of them that are not being written, by media time
 * @nr_dirty: their number
 * @seq: of the next entry
 * @run: write-backs since the last command
 * @incoming: writes and flushes waiting for the interface
 * @flushes: flushes waiting for the medium
 * @taking: command on the interface, or NULL
 * @due: when that is done, or U64_MAX
 */
struct mdisk_cache {
	u32 size;
	u32 used;
	struct mdisk_dirty *entry;
	struct list_head free;
	struct list_head unwritten;
	struct rb_root dirty;
	u32 nr_dirty;
	u64 seq;
	u32 run;
	struct list_head incoming;
	struct list_head flushes;
	struct mdisk_cmd *taking;
	u64 due;
};

/**
 * struct mdisk_store - the data, as a table of pages that are not all zero
 * @lock: protects all of it
 * @dir: one leaf for every 512 pages, or NULL
 * @nr_dir: its length
 * @pages: pages of data held
 * @max_pages: what they may become, 0 for no limit
 * @reserve: free pages for when the allocator has none, linked by their first
 *	word
 * @nr_reserve: their number
 * @failed: pages that could not be had
 * @refill: fills @reserve in process context
 */
struct mdisk_store {
	spinlock_t lock;	/* everything here, for one page at a time */
	void ***dir;
	u64 nr_dir;
	u64 pages;
	u64 max_pages;
	void *reserve;
	u32 nr_reserve;
	u64 failed;
	struct work_struct refill;
};

/**
 * struct mdisk_config - what the user chose besides the mechanics
 * @depth: commands the device takes
 * @reorder: the device chooses its own order
 * @age_ns: a command older than this goes first
 * @overhead_ns: to decode a command
 * @max_sectors: largest request
 * @cache_sectors: size of the volatile write cache, 0 for none
 * @store_pages: pages of data the store may hold, 0 for no limit
 * @ssd: no mechanics, but channels
 * @channels: commands an SSD serves at a time
 * @ssd_read_ns: latency of a read
 * @ssd_write_ns: latency of a write
 * @ssd_ps: picoseconds a sector takes on one channel
 */
struct mdisk_config {
	u32 depth;
	bool reorder;
	u64 age_ns;
	u64 overhead_ns;
	u32 max_sectors;
	u32 cache_sectors;
	u64 store_pages;
	bool ssd;
	u32 channels;
	u64 ssd_read_ns;
	u64 ssd_write_ns;
	u32 ssd_ps;
};

/**
 * struct mdisk_totals - counters of a whole disk
 * @since: start of the count
 * @settled: everything up to here is accounted
 * @busy: time in which at least one job was served
 * @idle: the rest
 * @served: jobs done
 * @service: their time in service, summed up
 * @service_max: the longest
 * @transfer: the part of @service in which data moved
 * @finished: requests completed
 * @response: their time in the device, summed up
 * @response_max: the longest
 * @flushes: flushes completed
 * @errors: requests failed
 */
struct mdisk_totals {
	u64 since;
	u64 settled;
	u64 busy;
	u64 idle;
	u64 served;
	u64 service;
	u64 service_max;
	u64 transfer;
	u64 finished;
	u64 response;
	u64 response_max;
	u64 flushes;
	u64 errors;
};

/**
 * struct mdisk - a modelled disk
 * @cfg: constant
 * @model: constant
 * @store: the data, has its own lock
 * @lock: protects everything below but @config
 * @head: the arm
 * @waiting: jobs not yet served, by arrival
 * @cache: the write cache
 * @server: what serves them: the arm, or the channels of an SSD
 * @nr_servers: how many of them there are
 * @nr_active: how many are at work
 * @timer: runs when the first of @server is done
 * @extents: extents by sector
 * @totals: counters
 * @other: sectors that belong to no named region
 * @config: serialises changes and readers of the set of regions
 * @regions: named regions, and last @other
 * @nr_regions: their number
 * @disk: the block device
 * @tags: its tags
 * @dir: its debugfs directory
 * @node: in the module's list
 */
struct mdisk {
	struct mdisk_config cfg;
	struct mdisk_model model;
	struct mdisk_store store;

	spinlock_t lock;	/* from here to @other; irqs off */
	struct mdisk_head head;
	struct list_head waiting;
	struct mdisk_cache cache;
	struct mdisk_server server[MDISK_MAX_CHANNELS];
	u32 nr_servers;
	u32 nr_active;
	struct hrtimer timer;
	struct rb_root extents;
	struct mdisk_totals totals;
	struct mdisk_region other;

	struct mutex config;	/* set of regions; outside @lock */
	struct list_head regions;
	u32 nr_regions;

	struct gendisk *disk;
	struct blk_mq_tag_set tags;
	struct dentry *dir;
	struct list_head node;
};

/* params.c */
unsigned int mdisk_disks(void);
int mdisk_check_params(void);
int mdisk_apply_params(struct mdisk *d);

/* engine.c */
void mdisk_engine_init(struct mdisk *d);
void mdisk_engine_stop(struct mdisk *d);
void mdisk_submit(struct mdisk *d, struct mdisk_cmd *cmd);
void mdisk_settle_now(struct mdisk *d);
u64 mdisk_pending_response(struct mdisk *d);

/* cache.c */
int mdisk_cache_init(struct mdisk *d);
void mdisk_cache_free(struct mdisk *d);
bool mdisk_cache_accepts(const struct mdisk *d, const struct mdisk_cmd *cmd);
bool mdisk_cache_urgent(const struct mdisk *d);
void mdisk_cache_admit(struct mdisk *d, u64 t);
struct mdisk_cmd *mdisk_cache_taken(struct mdisk *d);
struct mdisk_cmd *mdisk_cache_flushed(struct mdisk *d);
struct mdisk_job *mdisk_cache_pick(struct mdisk *d, u64 t, u64 *wait);
void mdisk_cache_start(struct mdisk *d, struct mdisk_job *job);
void mdisk_cache_written(struct mdisk *d, struct mdisk_job *job);

/* store.c */
int mdisk_store_init(struct mdisk_store *s, u64 sectors, u64 max_pages);
void mdisk_store_free(struct mdisk_store *s);
blk_status_t mdisk_store_move(struct mdisk_store *s, struct request *rq);

/* region.c */
void mdisk_regions_init(struct mdisk *d);
void mdisk_regions_exit(struct mdisk *d);
void mdisk_regions_clear(struct mdisk *d);
int mdisk_regions_add(struct mdisk *d, char *lines);
void mdisk_charge(struct mdisk *d, const struct mdisk_job *job, u64 ns);
void mdisk_count(struct mdisk *d, const struct mdisk_job *job);
void mdisk_reset(struct mdisk *d);

/* debugfs.c */
bool mdisk_name_is_taken(const char *name);
void mdisk_debugfs_init(void);
void mdisk_debugfs_exit(void);
void mdisk_debugfs_add(struct mdisk *d);

#endif
