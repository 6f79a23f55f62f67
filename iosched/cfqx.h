/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfqx - a proportional-weight I/O scheduler for blk-mq: shared definitions.
 *
 * Who owns whom:
 *
 *	struct cfqx_data	one per request queue, from init_sched to exit_sched
 *	  struct cfqx_group	one per (cgroup, request queue): the policy data of
 *				a blkg, freed by the core with its blkg
 *	    struct cfqx_queue	requests of one issuer in one group
 *
 * A request that was inserted holds a reference on its queue; a queue that is
 * hashed has one more.  A group that has requests, held-back bios or queues
 * holds one reference on its blkg (cfqx_group.users), so it cannot be freed
 * under them when the cgroup is removed.  Nothing else holds references:
 * the writers table forgets a group in pd_offline, the service trees hold a
 * group only while it has work.
 *
 * Lock ordering:
 *
 *	elevator switch (queue frozen)
 *	  devices_lock (debugfs.c)
 *	  request_queue.queue_lock
 *	    blkcg.lock
 *	      cfqx_staging.lock		the link from a staging to its cfqx_data
 *	        cfqx_data.lock		everything in cfqx_data, groups, queues
 *
 * All but the first two are taken with interrupts off.  Completion takes cfqx_data.lock
 * from hard interrupt context.  Nothing sleeps under them; requests freed by a
 * merge are freed after cfqx_data.lock was dropped.
 */
#ifndef CFQX_H
#define CFQX_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/blk-private.h"
#include "device_time.h"
#include "service_tree.h"
#include "write_cache.h"
#include "writers.h"

#define CFQX_QUEUE_HASH_BITS	8

/* Weights: range and default of the two hierarchies' files. */
#define CFQX_V2_WEIGHT_MIN	1
#define CFQX_V2_WEIGHT_MAX	10000
#define CFQX_V2_WEIGHT_DEFAULT	100
#define CFQX_V1_WEIGHT_MIN	10
#define CFQX_V1_WEIGHT_MAX	1000
#define CFQX_V1_WEIGHT_DEFAULT	500

struct cfqx_data;
struct cfqx_group;
struct cfqx_staging;

/* What an entity of a service tree is. */
enum cfqx_role {
	CFQX_ROLE_QUEUE,
	CFQX_ROLE_NOIDLE,	/* all seeky queues of a class */
	CFQX_ROLE_CLASS,
	CFQX_ROLE_TASKS,	/* a group's own requests */
	CFQX_ROLE_GROUP,
};

enum cfqx_workload {
	CFQX_SYNC,		/* one stream: worth idling for */
	CFQX_SYNC_NOIDLE,	/* seeky: served together with its like */
	CFQX_ASYNC,		/* buffered write-back */
};

/* I/O priority classes, the first is served first. */
enum cfqx_class_id {
	CFQX_RT,
	CFQX_BE,
	CFQX_IDLE,
	CFQX_NR_CLASSES,
};

#define CFQX_NR_LEVELS		8

/**
 * struct cfqx_priority - I/O priority
 * @class: see there
 * @level: in its class, 0 to 7, 0 has the longest slices
 */
struct cfqx_priority {
	u8 class;
	u8 level;
};

/**
 * struct cfqx_class - the queues of one I/O priority class of a group
 * @entity: the class among the others of its group
 * @queues: the tree that @entity's time is divided in: queues and @noidle
 * @noidle: all seeky sync queues together
 * @noidle_queues: the tree that @noidle's time is divided in
 * @nr_newcomers: queued sync queues that came after a pause
 */
struct cfqx_class {
	struct cfqx_entity entity;
	struct cfqx_service_tree queues;
	struct cfqx_entity noidle;
	struct cfqx_service_tree noidle_queues;
	unsigned int nr_newcomers;
};

/**
 * struct cfqx_queue - requests of one issuer in one group, at one priority
 * @entity: its place in a service tree of @group
 * @group: the group it belongs to
 * @hash: in cfqx_data.queue_hash, by (@group, @issuer, @priority)
 * @lru: in cfqx_group.queues, least recently used first
 * @issuer: names the issuing context; never dereferenced
 * @priority: of all of its requests
 * @pid: the task it was created for, in traces
 * @refs: hash and requests; unused for the queues embedded in a group
 * @sort_list: queued requests by sector
 * @fifo: queued requests by age
 * @nr_queued: number of requests in @sort_list
 * @in_driver: its requests in the driver
 * @staged: bios held back until the group may have a request for them
 * @staged_link: in cfqx_group.staged_queues while @staged is not empty
 * @stalled_link: in cfqx_data.stalled: chosen, but no tag was free
 * @last_pos: sector after the last request dispatched
 * @last_arrival: sector after the last request that arrived
 * @last_by_age: when a request was last sent by its age (ns)
 * @slice_sent: requests sent since it was chosen, while others waited
 * @last_end: when its last request completed (ns)
 * @think_time: mean time from completion to the next request (ns), aged
 * @think_samples: how many samples @think_time is made of, saturating
 * @seek_history: one bit for each of the last requests: was it far away
 * @newcomer: came after a pause and had no slice since
 * @closing: its last request was a sync write that nothing follows at once
 * @waits_on: where it was, if a commit is what the issuer waits for; an entry of
 * the table, used for times only
 * @workload: what it is served as while its entity is queued
 * @sync: sync queue of an issuer; else the group's async queue
 * @embedded: part of struct cfqx_group, not allocated
 */
struct cfqx_queue {
	struct cfqx_entity entity;
	struct cfqx_group *group;
	struct hlist_node hash;
	struct list_head lru;
	const void *issuer;
	struct cfqx_priority priority;
	pid_t pid;
	unsigned int refs;

	struct rb_root sort_list;
	struct list_head fifo;
	unsigned int nr_queued;
	unsigned int in_driver;

	struct bio_list staged;
	struct list_head staged_link;
	struct list_head stalled_link;

	sector_t last_pos;
	sector_t last_arrival;
	u64 last_by_age;
	unsigned int slice_sent;
	u64 last_end;
	u64 think_time;
	unsigned int think_samples;
	u32 seek_history;
	bool newcomer;
	bool closing;
	const struct cfqx_partition *waits_on;

	enum cfqx_workload workload;
	bool sync;
	bool embedded;
};

enum cfqx_direction {
	CFQX_READ,
	CFQX_WRITE,
	CFQX_DISCARD,
	CFQX_NR_DIRECTIONS,
};

/* Kinds of I/O that are counted apart. */
#define CFQX_KIND(direction, sync)	(2 * (direction) + (sync))
#define CFQX_NR_KINDS			(2 * CFQX_NR_DIRECTIONS)

/* What is counted, for each kind; times see stats.c. */
enum cfqx_counter {
	CFQX_BYTES,		/* size of the requests sent */
	CFQX_SERVICED,		/* requests sent to the driver */
	CFQX_SERVICE_TIME,	/* time they were there (ns) */
	CFQX_WAIT_TIME,		/* time before that (ns), as requests or bios */
	CFQX_MERGED,		/* bios and requests added to another request */
	CFQX_QUEUED,		/* requests and bios that wait now */
	CFQX_IN_DRIVER,		/* requests in the driver now */
	CFQX_NR_COUNTERS,
};

/* In the private word of a v1 file, beside the counter it shows. */
#define CFQX_RECURSIVE			0x100

/**
 * struct cfqx_stats - what a group did
 * @time: device time used (ns), including what was idled for it
 * @idle_time: the part of @time the device was idle for it (ns)
 * @count: by kind of I/O and enum cfqx_counter
 */
struct cfqx_stats {
	u64 time;
	u64 idle_time;
	u64 count[CFQX_NR_KINDS][CFQX_NR_COUNTERS];
};

/**
 * struct cfqx_group - one cgroup on one request queue
 * @pd: policy data, first member: freed with the blkg
 * @cfqd: the device
 * @parent: group of the parent cgroup, NULL for the root
 * @entity: this group among its siblings (unused for the root)
 * @children: the tree that @entity's time is divided in: @tasks and children;
 * the root group's is the topmost tree
 * @tasks: the group's own requests among its children
 * @classes: the tree that @tasks' time is divided in
 * @class: its entities
 * @async: the queue of buffered write-back
 * @shared_sync: sync queue for issuers that got none of their own
 * @queues: allocated queues, least recently used first
 * @waiter: the queue that last sent what is followed by a commit, or NULL
 * @users: requests, queues and bios that need the group; holds a blkg
 * reference while not zero
 * @tags: requests that were inserted and not yet freed; what is in the journal's
 * queue counts as the root's
 * @transit: bios let through that have not become a request yet; counts
 * only while @transit_epoch is the device's
 * @transit_epoch: see there
 * @nr_staged: bios held back
 * @staged_bytes: their size
 * @staged_queues: queues with staged bios, served in turn
 * @staged_link: in cfqx_data.staged_groups while @nr_staged
 * @staging_wait: flushers waiting for @staged_bytes to shrink
 * @weight: weight on this device; that of the own tasks is @tasks.weight
 * @turn: device time @entity keeps the device once chosen (ns)
 * @tasks_turn: the same for @tasks
 * @child_groups: online groups of child cgroups
 * @sibling_link: in @parent's @child_groups while online
 * @waiting_link: in cfqx_data.waiting_groups while its own tasks have work
 * @served_at: when a request of theirs was last sent, or they began to wait
 * (jiffies)
 * @stats: what it did
 * @gone: what removed cgroups below it did
 * @generation: of the cfqx_data it was made for
 * @busy: counted in cfqx_data.nr_busy_groups
 * @offline: the cgroup was removed
 */
struct cfqx_group {
	struct blkg_policy_data pd;
	struct cfqx_data *cfqd;
	struct cfqx_group *parent;

	struct cfqx_entity entity;
	struct cfqx_service_tree children;
	struct cfqx_entity tasks;
	struct cfqx_service_tree classes;
	struct cfqx_class class[CFQX_NR_CLASSES];

	struct cfqx_queue async;
	struct cfqx_queue shared_sync;
	struct list_head queues;
	struct cfqx_queue *waiter;
	unsigned int users;

	unsigned int tags;
	unsigned int transit;
	unsigned int transit_epoch;
	unsigned int nr_staged;
	u64 staged_bytes;
	struct list_head staged_queues;
	struct list_head staged_link;
	wait_queue_head_t staging_wait;

	unsigned int weight;
	u64 turn;
	u64 tasks_turn;
	struct list_head child_groups;
	struct list_head sibling_link;
	struct list_head waiting_link;
	unsigned long served_at;
	struct cfqx_stats stats;
	struct cfqx_stats gone;
	u64 generation;
	bool busy;
	bool offline;
};

/* What a weight is of: a cgroup's two weights. */
enum cfqx_weighs {
	CFQX_GROUP,		/* the cgroup, among its siblings */
	CFQX_LEAF,		/* its own tasks, among its child cgroups */
	CFQX_NR_WEIGHS,
};

/**
 * struct cfqx_weight - one of a cgroup's weights, on all devices
 * @value: where there is no override, 0 if never set
 * @overrides: on single devices (struct cfqx_override)
 */
struct cfqx_weight {
	unsigned int value;
	struct list_head overrides;
};

/**
 * struct cfqx_cgroup - one cgroup, on all devices
 * @cpd: policy data, first member
 * @weight: its weights by enum cfqx_weighs, protected by blkcg.lock
 */
struct cfqx_cgroup {
	struct blkcg_policy_data cpd;
	struct cfqx_weight weight[CFQX_NR_WEIGHS];
};

/**
 * struct cfqx_override - a weight on one device
 * @link: in cfqx_weight.overrides
 * @dev: the whole disk
 * @weight: the weight there
 */
struct cfqx_override {
	struct list_head link;
	dev_t dev;
	unsigned int weight;
};

/**
 * struct cfqx_weight_scale - how a file counts weights
 * @min: the least that may be written
 * @max: the most
 * @unit: what is stored for 1
 * @default_for_all: a default written here is for single disks too
 */
struct cfqx_weight_scale {
	unsigned int min;
	unsigned int max;
	unsigned int unit;
	bool default_for_all;
};

/**
 * struct cfqx_tunables - what /sys/block/X/queue/iosched sets (times in ns)
 * @slice_sync: device time a sync queue keeps the device within its group
 * @slice_async: the same for an async queue
 * @slice: the same for all levels of I/O priority, [sync]
 * @weight: what a queue weighs among the others, in proportion to @slice
 * @stream: the same for a sync queue while all that waits are streams
 * @newcomer: the same for a sync queue that comes after a pause
 * @turn: device time a group keeps the device while sync requests are served
 * @turn_async: the same for write-back, at least
 * @turn_async_max: the same while there is nothing but write-back, at most
 * @lag_async: by what such a turn may take the others behind, at most
 * @period_async: in between, a group's turn is its part of this
 * @slice_idle: how long to wait for the next request of a sync queue
 * @group_idle: how long to wait for the next request of a group
 * @fifo_expire: age at which a request is taken out of order, [async, sync]
 * @slice_async_rq: bounds the requests of a slice of write-back
 * @back_seek_max: how far behind the last request the next may be (KiB)
 * @back_seek_penalty: how much longer the way back is than the same way ahead
 * @quantum: requests of one seeky queue in the driver while others wait
 * @group_isolation: seeky queues stay in their group
 * @low_latency: who comes after a pause is served soon
 * @target_latency: while @low_latency, no sync slice or turn is longer
 */
struct cfqx_tunables {
	u64 slice_sync;
	u64 slice_async;
	u64 slice[2][CFQX_NR_LEVELS];
	unsigned int weight[2][CFQX_NR_LEVELS];
	u64 stream[CFQX_NR_LEVELS];
	u64 newcomer;
	u64 turn;
	u64 turn_async;
	u64 turn_async_max;
	u64 lag_async;
	u64 period_async;
	u64 slice_idle;
	u64 group_idle;
	u64 fifo_expire[2];
	unsigned int slice_async_rq;
	unsigned int back_seek_max;
	unsigned int back_seek_penalty;
	unsigned int quantum;
	unsigned int group_isolation;
	unsigned int low_latency;
	u64 target_latency;
};

/**
 * struct cfqx_data - one request queue
 * @lock: protects everything below and all groups and queues
 * @rqq: the request queue
 * @device_link: among those that can be looked at in debugfs
 * @generation: tells it from others that had the same address
 * @root: group of the root cgroup
 * @queue_hash: allocated sync queues by (group, issuer)
 * @dispatch: requests to be sent as they are: passthrough, at head
 * @journal: requests that others wait for: commits, metadata
 * @clock: device time
 * @partitions: who writes where
 * @write_cache: whose data the device holds back
 * @queued: requests in the scheduler
 * @serving: the queue chosen last, or NULL
 * @draining: @serving has had its turn, and sends what it has tags for
 * @waiting_groups: groups whose tasks have work, served longest ago first
 * @helped_at: when one was last served out of turn (jiffies)
 * @waiting_since: since when @serving waits for its bios to become requests
 * (ns), 0 if it does not
 * @mixed: others left many requests in the driver when @serving was chosen
 * @driver_limit: how many there may be, for whom is served now
 * @hw_depth: how many the device takes
 * @idling: the queue that has nothing but keeps the device, or NULL
 * @idle_timer_armed: waiting for @idling's next request with nothing in flight
 * @idle_timer: ends that
 * @journal_hold: nothing but the journal is served
 * @journal_timer: ends that
 * @tags: inserted requests of all groups
 * @transit: sum of the groups' transit
 * @transit_epoch: a new one begins when @transit is forgotten
 * @transit_time: when @transit last grew (ns)
 * @nr_busy_groups: groups with tags or staged bios
 * @nr_staged: bios held back, all groups
 * @staged_groups: groups with staged bios, served in turn
 * @stalled: queues that lost their turn because no tag was free
 * @staging: turns staged bios into requests
 * @bio_queue: the queue of the bio being merged
 * @last_pos: sector after the last request dispatched
 * @wbt_latency: limit of write-back throttling before it was turned off (ns)
 * @stats_read: when counters were last read (ns)
 * @changes: slices that the last choice ended and began, until they are traced
 * @tunables: see there
 */
struct cfqx_data {
	spinlock_t lock;	/* everything here, groups, queues */
	struct request_queue *rqq;
	struct list_head device_link;
	u64 generation;
	struct cfqx_group *root;
	DECLARE_HASHTABLE(queue_hash, CFQX_QUEUE_HASH_BITS);

	struct list_head dispatch;
	struct cfqx_queue journal;

	struct cfqx_device_time clock;
	struct cfqx_partitions partitions;
	struct cfqx_write_cache write_cache;

	unsigned int queued;
	struct cfqx_queue *serving;
	bool draining;
	struct list_head waiting_groups;
	unsigned long helped_at;
	u64 waiting_since;
	bool mixed;
	unsigned int driver_limit;
	unsigned int hw_depth;

	struct cfqx_queue *idling;
	bool idle_timer_armed;
	struct hrtimer idle_timer;
	bool journal_hold;
	struct hrtimer journal_timer;

	unsigned int tags;
	unsigned int transit;
	unsigned int transit_epoch;
	u64 transit_time;
	unsigned int nr_busy_groups;
	unsigned int nr_staged;
	struct list_head staged_groups;
	struct list_head stalled;
	struct cfqx_staging *staging;

	struct cfqx_queue *bio_queue;
	sector_t last_pos;
	unsigned long wbt_latency;
	u64 stats_read;
	struct cfqx_changes changes;

	struct cfqx_tunables tunables;
};

/*
 * What a request carries.  elv.priv[0]: its queue and, in the low bits, where
 * it is.  elv.priv[1]: the issuer until it is inserted; then the partition
 * whose writers pay for it, or the ticket of the device clock.
 */
#define CFQX_RQ_QUEUED		1UL
#define CFQX_RQ_DISPATCHED	2UL
#define CFQX_RQ_WRITERS_PAY	4UL
#define CFQX_RQ_FLAGS		7UL

static inline struct cfqx_queue *cfqx_rq_queue(struct request *rq)
{
	return (void *)((unsigned long)rq->elv.priv[0] & ~CFQX_RQ_FLAGS);
}

static inline bool cfqx_rq_test(struct request *rq, unsigned long flag)
{
	return (unsigned long)rq->elv.priv[0] & flag;
}

static inline void cfqx_rq_set(struct request *rq, unsigned long flag)
{
	rq->elv.priv[0] = (void *)((unsigned long)rq->elv.priv[0] | flag);
}

static inline void cfqx_rq_clear(struct request *rq, unsigned long flag)
{
	rq->elv.priv[0] = (void *)((unsigned long)rq->elv.priv[0] & ~flag);
}

/* group.c */
struct cfqx_group *cfqx_group_alloc(gfp_t gfp, int node);
void cfqx_group_free(struct cfqx_group *group);
void cfqx_group_attach(struct cfqx_group *group, struct cfqx_data *cfqd,
		       struct cfqx_group *parent);
void cfqx_group_online(struct cfqx_group *group);
void cfqx_group_offline(struct cfqx_group *group);
void cfqx_group_get(struct cfqx_group *group);
void cfqx_group_put(struct cfqx_group *group);
void cfqx_group_set_weight(struct cfqx_group *group, unsigned int weight,
			   unsigned int leaf_weight);
void cfqx_group_update_busy(struct cfqx_group *group);
void cfqx_group_charge(struct cfqx_group *group, struct cfqx_entity *leaf,
		       u64 ns);

/* classes.c */
struct cfqx_priority cfqx_priority(unsigned short ioprio);
void cfqx_level_slices(u64 base, u64 longest, u64 slice[CFQX_NR_LEVELS]);
void cfqx_classes_init(struct cfqx_group *group);
void cfqx_class_update(struct cfqx_class *class);
struct cfqx_class *cfqx_class_of(struct cfqx_data *cfqd,
				 struct cfqx_queue *queue);

/* queue.c */
void cfqx_queue_init(struct cfqx_queue *queue, struct cfqx_group *group,
		     struct cfqx_priority priority, bool sync);
struct cfqx_queue *cfqx_queue_find(struct cfqx_data *cfqd,
				   struct cfqx_group *group,
				   const void *issuer,
				   struct cfqx_priority priority, bool sync);
struct cfqx_queue *cfqx_queue_get(struct cfqx_data *cfqd,
				  struct cfqx_group *group,
				  const void *issuer,
				  struct cfqx_priority priority, bool sync);
void cfqx_queue_ref(struct cfqx_queue *queue);
void cfqx_queue_put(struct cfqx_queue *queue);
void cfqx_group_release_queues(struct cfqx_group *group);
bool cfqx_queue_has_work(const struct cfqx_queue *queue);
void cfqx_queue_add(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		    struct request *rq);
void cfqx_queue_remove(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		       struct request *rq, u64 now);
struct request *cfqx_queue_next(struct cfqx_data *cfqd,
				struct cfqx_queue *queue, u64 now);
void cfqx_queue_note_arrival(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			     sector_t pos, sector_t sectors, u64 now);
void cfqx_queue_activate(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_queue_deactivate(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_queue_reclassify(struct cfqx_data *cfqd, struct cfqx_queue *queue);
bool cfqx_queue_seeky(const struct cfqx_queue *queue);
void cfqx_queue_set_slice(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_queue_rewind(struct cfqx_queue *queue);
bool cfqx_queue_jumps(struct cfqx_data *cfqd, struct cfqx_queue *queue);

struct cfqx_group *cfqx_queue_home(struct cfqx_data *cfqd,
				   struct cfqx_queue *queue);
void cfqx_queue_charge(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		       u64 ns);

/* idling.c */
void cfqx_idling_account(struct cfqx_data *cfqd, u64 now);
void cfqx_idling_drop(struct cfqx_data *cfqd);
void cfqx_idling_end(struct cfqx_data *cfqd);
u64 cfqx_idling_time(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_idling_check_slice(struct cfqx_data *cfqd);
void cfqx_idling_wait(struct cfqx_data *cfqd);
void cfqx_idling_pause(struct cfqx_data *cfqd);
u64 cfqx_idling_since(const struct cfqx_queue *queue);
enum hrtimer_restart cfqx_idle_timer(struct hrtimer *timer);

/* journal.c */
struct inode *cfqx_writeback_inode(struct bio *bio);
bool cfqx_is_journal_thread(void);
void cfqx_note_waiter(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		      struct request *rq, u64 now);
void cfqx_journal_foreign(struct cfqx_partition *partition, struct request *rq,
			  u64 now);
bool cfqx_writers_pay(struct cfqx_data *cfqd, struct cfqx_group *group,
		      struct request *rq);
void cfqx_note_writer(struct cfqx_data *cfqd, struct cfqx_group *group,
		      struct request *rq);
struct cfqx_queue *cfqx_journal_queue(struct cfqx_data *cfqd,
				      struct cfqx_group *group,
				      struct request *rq, u64 now);
void cfqx_charge_writers(struct cfqx_data *cfqd,
			 struct cfqx_partition *partition, bool commit, u64 ns);
bool cfqx_journal_busy(const struct cfqx_data *cfqd);
void cfqx_journal_sent(struct cfqx_data *cfqd, struct request *rq);
void cfqx_journal_release(struct cfqx_data *cfqd);
void cfqx_journal_ended(struct cfqx_data *cfqd,
			struct cfqx_partition *partition, u64 now);
enum hrtimer_restart cfqx_journal_timer(struct hrtimer *timer);

/* turns.c */
void cfqx_turns_update(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_turns_keep(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		     bool whole);
void cfqx_turns_begin(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_sync_arrived(struct cfqx_data *cfqd);
bool cfqx_turn_end_at_jump(struct cfqx_data *cfqd, struct cfqx_queue *queue);

/* charging.c */
void cfqx_charge(struct cfqx_data *cfqd, struct request *rq, u64 bytes, u64 ns);
void cfqx_charge_foreign(struct cfqx_data *cfqd,
			 struct cfqx_partition *partition, struct request *rq,
			 u64 ns);

/* starvation.c */
void cfqx_starvation_begin(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_starvation_end(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_starvation_served(struct cfqx_data *cfqd, struct cfqx_queue *queue);
struct cfqx_queue *cfqx_starvation_next(struct cfqx_data *cfqd);

/* dispatch.c */
void cfqx_rq_carry(struct request *rq, unsigned int slot, bool commit);
bool cfqx_rq_is_commit(const struct request *rq);
struct cfqx_partition *cfqx_rq_partition(struct cfqx_data *cfqd,
					 struct request *rq);
bool cfqx_may_dispatch(struct cfqx_data *cfqd);
struct request *cfqx_dispatch_next(struct cfqx_data *cfqd);
bool cfqx_complete(struct cfqx_data *cfqd, struct request *rq, u64 now);
bool cfqx_complete_foreign(struct cfqx_data *cfqd, struct request *rq,
			   u64 now);
void cfqx_update_serving(struct cfqx_data *cfqd);
void cfqx_resume_stalled(struct cfqx_data *cfqd);
void cfqx_requeue(struct cfqx_data *cfqd, struct request *rq);
void cfqx_work_arrived(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_forget_queue(struct cfqx_data *cfqd, struct cfqx_queue *queue);

/* staging.c */
int cfqx_staging_create(struct cfqx_data *cfqd);
void cfqx_staging_detach(struct cfqx_data *cfqd);
bool cfqx_staging_is_worker(const struct cfqx_data *cfqd);
const void *cfqx_staging_issuer(const struct cfqx_data *cfqd);
bool cfqx_tags_scarce(struct cfqx_data *cfqd);
bool cfqx_staging_possible(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_staging_kick(struct cfqx_data *cfqd);
bool cfqx_stage_bio(struct cfqx_data *cfqd, struct cfqx_group *group,
		    struct bio *bio);
bool cfqx_staging_may_throttle(struct cfqx_data *cfqd, struct bio *bio);
void cfqx_staging_throttle(struct cfqx_data *cfqd, struct cfqx_group *group);
void cfqx_transit_done(struct cfqx_group *group);
int cfqx_staging_init(void);
void cfqx_staging_exit(void);

/* stats.c */
void cfqx_stats_wait_begin(struct cfqx_queue *queue, blk_opf_t opf, u64 now);
void cfqx_stats_wait_end(struct cfqx_queue *queue, blk_opf_t opf, u64 now);
void cfqx_stats_sent(struct cfqx_queue *queue, struct request *rq);
void cfqx_stats_service_begin(struct cfqx_queue *queue, blk_opf_t opf, u64 now);
void cfqx_stats_service_end(struct cfqx_queue *queue, blk_opf_t opf, u64 now);
void cfqx_stats_merged(struct cfqx_group *group, blk_opf_t opf);
void cfqx_stats_time(struct cfqx_group *group, u64 ns, bool idle);
void cfqx_stats_leave(struct cfqx_group *group);
void cfqx_stats_reset(struct cfqx_group *group);
int cfqx_stats_show(struct seq_file *sf, void *v);
int cfqx_stats_show_time(struct seq_file *sf, void *v);
int cfqx_stats_show_sectors(struct seq_file *sf, void *v);
int cfqx_stats_show_counter(struct seq_file *sf, void *v);

/* wbt.c */
void cfqx_wbt_off(struct cfqx_data *cfqd);
void cfqx_wbt_restore(struct cfqx_data *cfqd);

/* split.c */
int cfqx_split_init(void);
void cfqx_split_exit(void);

/* elevator.c */
bool cfqx_is_elevator_of(struct request_queue *q);

/* weights.c */
void cfqx_weights_apply(struct cfqx_group *group, struct blkcg *blkcg);
void cfqx_weights_reset(struct blkcg *blkcg);
void cfqx_overrides_free(struct list_head *overrides);
int cfqx_weight_set_default(struct blkcg *blkcg, enum cfqx_weighs of,
			    const char *text,
			    const struct cfqx_weight_scale *scale);
int cfqx_weight_set(struct blkcg *blkcg, char *text,
		    const struct cfqx_weight_scale *scale);
void cfqx_weight_print_default(struct seq_file *sf, enum cfqx_weighs of,
			       const struct cfqx_weight_scale *scale);
void cfqx_weight_print(struct seq_file *sf,
		       const struct cfqx_weight_scale *scale);
int cfqx_weight_show(struct seq_file *sf, void *v);
int cfqx_weight_show_v1(struct seq_file *sf, void *v);
int cfqx_weight_device_show_v1(struct seq_file *sf, void *v);
ssize_t cfqx_weight_write(struct kernfs_open_file *of, char *buf, size_t nbytes,
			  loff_t off);
ssize_t cfqx_weight_write_v1(struct kernfs_open_file *of, char *buf,
			     size_t nbytes, loff_t off);
ssize_t cfqx_weight_device_write_v1(struct kernfs_open_file *of, char *buf,
				    size_t nbytes, loff_t off);

/* weight_alias.c */
int cfqx_weight_alias_add(struct cftype *files, struct cftype *files_v1);
void cfqx_weight_alias_end(void);

/* blkcg.c */
struct cfqx_group *cfqx_bio_group(struct cfqx_data *cfqd, struct bio *bio);
void cfqx_bio_uncount(struct bio *bio);
extern struct blkcg_policy cfqx_policy;
int cfqx_policy_init(void);
void cfqx_policy_exit(void);
int cfqx_policy_attach(struct cfqx_data *cfqd);
void cfqx_policy_detach(struct cfqx_data *cfqd);

/* debugfs.c */
#ifdef CONFIG_BLK_DEBUG_FS
void cfqx_debugfs_attach(struct cfqx_data *cfqd);
void cfqx_debugfs_detach(struct cfqx_data *cfqd);
void cfqx_debugfs_init(struct elevator_type *type);
#else
static inline void cfqx_debugfs_attach(struct cfqx_data *cfqd) {}
static inline void cfqx_debugfs_detach(struct cfqx_data *cfqd) {}
static inline void cfqx_debugfs_init(struct elevator_type *type) {}
#endif

/* tunables.c */
void cfqx_tunables_init(struct cfqx_data *cfqd);
#ifdef CFQX_CONST_elevator_type__elevator_attrs
extern const struct elv_fs_entry cfqx_attrs[];
#else
extern struct elv_fs_entry cfqx_attrs[];
#endif

/* Names the issuing context of the running task. */
static inline const void *cfqx_current_issuer(void)
{
	return current->io_context ? (void *)current->io_context :
				     (void *)current;
}

static inline struct cgroup_subsys_state *cfqx_group_css(struct cfqx_group *g)
{
	return &g->pd.blkg->blkcg->css;
}

/*
 * Notes in the blktrace stream: "cfqx<queue> message", or "cfqx message" of a
 * group, with the cgroup.  Documentation/trace.rst has them all.
 */
static inline bool cfqx_traced(struct cfqx_data *cfqd)
{
	return blk_trace_note_message_enabled(cfqd->rqq);
}

#define cfqx_trace_queue(cfqd, queue, fmt, ...)				\
	do {								\
		if (cfqx_traced(cfqd))					\
			blk_add_cgroup_trace_msg((cfqd)->rqq,		\
				cfqx_group_css((queue)->group),		\
				"cfqx%d%c " fmt, (queue)->pid,		\
				(queue)->sync ? 'S' : 'A',		\
				##__VA_ARGS__);				\
	} while (0)

#define cfqx_trace_group(cfqd, grp, fmt, ...)				\
	do {								\
		if (cfqx_traced(cfqd))					\
			blk_add_cgroup_trace_msg((cfqd)->rqq,		\
				cfqx_group_css(grp),			\
				"cfqx " fmt, ##__VA_ARGS__);		\
	} while (0)

/* trace.c */
const char *cfqx_workload_name(enum cfqx_workload workload);
struct cfqx_queue *cfqx_entity_queue(struct cfqx_entity *entity);
struct cfqx_group *cfqx_entity_group(struct cfqx_entity *entity);
void cfqx_trace_on_tree(struct cfqx_data *cfqd, struct cfqx_queue *queue,
			struct cfqx_entity *top);
void cfqx_trace_off_tree(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_trace_end(struct cfqx_data *cfqd, struct cfqx_entity *entity,
		    s64 used, const char *why, struct cfqx_entity *by);
void cfqx_trace_gave_way(struct cfqx_data *cfqd, struct cfqx_queue *queue);
void cfqx_trace_changes(struct cfqx_data *cfqd);

/* Choose who is served; cfqx_trace_choice() must follow before anything goes. */
static inline struct cfqx_entity *cfqx_choose(struct cfqx_data *cfqd)
{
	return cfqx_tree_select_changes(&cfqd->root->children, &cfqd->changes);
}

static inline void cfqx_trace_choice(struct cfqx_data *cfqd)
{
	if (!cfqd->changes.nr)
		return;
	if (cfqx_traced(cfqd))
		cfqx_trace_changes(cfqd);
	cfqd->changes.nr = 0;
}

#endif /* CFQX_H */
