// SPDX-License-Identifier: GPL-2.0
/*
 * Stats: a group's counters, and the files that show them.
 *
 * Counters are kept by kind of I/O: its direction, and whether it is sync.
 *
 * Times need no stamp on a request or bio.  The clock is taken off the counter
 * when one begins, and added when it ends; when the counter is read, the clock
 * is added once for each that is under way.  Two requests begin to wait at 10
 * and 30, and the first is sent at 50: the counter is 50 - 10 - 30 = 10, and at
 * 60, with one waiting, it reads 70: 40 of the first and 30 of the second.
 *
 * That never goes back, if nothing that was read as under way at some time is
 * said to have ended before.  But a completion has its time from before it got
 * the lock: so it counts as no earlier than the last reading.
 *
 * What a removed cgroup did stays in the recursive figures of those above it:
 * when it goes offline its counters are added to what its parent keeps for all
 * it lost (@gone), and what it has under way is counted there from then on.
 * That a wait or service begins in one place and ends in another does not
 * matter, as long as both are in the sum.
 *
 * Locking: cfqx_data.lock.  Where files are read the core holds queue_lock, with
 * interrupts off, and the lock is taken here.
 */
#include "cfqx.h"

static enum cfqx_direction direction_of(blk_opf_t opf)
{
	if (op_is_discard(opf))
		return CFQX_DISCARD;
	return op_is_write(opf) ? CFQX_WRITE : CFQX_READ;
}

/* Where to count: the parent of an offline group lives as long as it does. */
static struct cfqx_stats *stats_of(struct cfqx_group *group)
{
	if (!group->offline)
		return &group->stats;
	while (group->offline && group->parent)
		group = group->parent;
	return &group->gone;
}

/* The counters of one kind of I/O. */
static u64 *counters(struct cfqx_group *group, blk_opf_t opf, bool sync)
{
	return stats_of(group)->count[CFQX_KIND(direction_of(opf), sync)];
}

/**
 * cfqx_stats_wait_begin - a request or bio begins to wait for its turn
 * @queue: the queue it waits in
 * @opf: its operation and flags
 * @now: current time (ns)
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_wait_begin(struct cfqx_queue *queue, blk_opf_t opf, u64 now)
{
	u64 *count = counters(queue->group, opf, queue->sync);

	count[CFQX_QUEUED]++;
	count[CFQX_WAIT_TIME] -= now;
}

/**
 * cfqx_stats_wait_end - a request or bio does not wait any more
 * @queue: the queue it waited in
 * @opf: its operation and flags
 * @now: current time (ns)
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_wait_end(struct cfqx_queue *queue, blk_opf_t opf, u64 now)
{
	u64 *count = counters(queue->group, opf, queue->sync);

	count[CFQX_QUEUED]--;
	count[CFQX_WAIT_TIME] += now;
}

/**
 * cfqx_stats_sent - a request is sent to the driver for the first time
 * @queue: its queue
 * @rq: the request
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_sent(struct cfqx_queue *queue, struct request *rq)
{
	u64 *count = counters(queue->group, rq->cmd_flags, queue->sync);

	count[CFQX_SERVICED]++;
	count[CFQX_BYTES] += blk_rq_bytes(rq);
}

/**
 * cfqx_stats_service_begin - the driver has a request
 * @queue: its queue
 * @opf: its operation and flags
 * @now: current time (ns)
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_service_begin(struct cfqx_queue *queue, blk_opf_t opf, u64 now)
{
	u64 *count = counters(queue->group, opf, queue->sync);

	count[CFQX_IN_DRIVER]++;
	count[CFQX_SERVICE_TIME] -= now;
}

/**
 * cfqx_stats_service_end - the driver completed a request, or gave it back
 * @queue: its queue
 * @opf: its operation and flags
 * @now: when that was (ns); may be from before the lock was taken
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_service_end(struct cfqx_queue *queue, blk_opf_t opf, u64 now)
{
	u64 *count = counters(queue->group, opf, queue->sync);

	count[CFQX_IN_DRIVER]--;
	count[CFQX_SERVICE_TIME] += max(now, queue->group->cfqd->stats_read);
}

/**
 * cfqx_stats_merged - a bio or request became part of another request
 * @group: its group
 * @opf: its operation and flags
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_merged(struct cfqx_group *group, blk_opf_t opf)
{
	counters(group, opf, op_is_sync(opf))[CFQX_MERGED]++;
}

/**
 * cfqx_stats_time - a group used the device, or it was kept idle for it
 * @group: the group
 * @ns: for how long
 * @idle: kept idle; not counted as use once more
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_time(struct cfqx_group *group, u64 ns, bool idle)
{
	struct cfqx_stats *stats = stats_of(group);

	if (idle)
		stats->idle_time += ns;
	else
		stats->time += ns;
}

static void stats_add(struct cfqx_stats *sum, const struct cfqx_stats *stats)
{
	unsigned int kind, i;

	sum->time += stats->time;
	sum->idle_time += stats->idle_time;
	for (kind = 0; kind < CFQX_NR_KINDS; kind++)
		for (i = 0; i < CFQX_NR_COUNTERS; i++)
			sum->count[kind][i] += stats->count[kind][i];
}

/**
 * cfqx_stats_leave - leave to those above what a removed cgroup did
 * @group: its group, just marked offline; its child groups are as well
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_leave(struct cfqx_group *group)
{
	struct cfqx_stats *heir = stats_of(group);

	if (heir == &group->gone)
		return;
	stats_add(heir, &group->stats);
	stats_add(heir, &group->gone);
}

/* Begin anew at @now, with what is under way. */
static void stats_reset(struct cfqx_stats *stats, u64 now)
{
	unsigned int kind;

	stats->time = 0;
	stats->idle_time = 0;
	for (kind = 0; kind < CFQX_NR_KINDS; kind++) {
		u64 *count = stats->count[kind];

		count[CFQX_BYTES] = 0;
		count[CFQX_SERVICED] = 0;
		count[CFQX_MERGED] = 0;
		count[CFQX_WAIT_TIME] = -count[CFQX_QUEUED] * now;
		count[CFQX_SERVICE_TIME] = -count[CFQX_IN_DRIVER] * now;
	}
}

/**
 * cfqx_stats_reset - forget what a group did so far
 * @group: the group; its child groups keep their counters
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_stats_reset(struct cfqx_group *group)
{
	/* What is under way must not end before it began anew. */
	u64 now = ktime_get_ns();

	group->cfqd->stats_read = now;
	stats_reset(&group->stats, now);
	stats_reset(&group->gone, now);
}

/* Reading */

/* The online group after @group below @top, @top being the first; or NULL. */
static struct cfqx_group *next_below(struct cfqx_group *top,
				     struct cfqx_group *group)
{
	if (!list_empty(&group->child_groups))
		return list_first_entry(&group->child_groups,
					struct cfqx_group, sibling_link);
	while (group != top) {
		if (!list_is_last(&group->sibling_link,
				  &group->parent->child_groups))
			return list_next_entry(group, sibling_link);
		group = group->parent;
	}
	return NULL;
}

/* Add for each time counter the clock once for all that is under way. */
static void stats_until(struct cfqx_stats *stats, u64 now)
{
	unsigned int kind;

	for (kind = 0; kind < CFQX_NR_KINDS; kind++) {
		u64 *count = stats->count[kind];

		count[CFQX_WAIT_TIME] += count[CFQX_QUEUED] * now;
		count[CFQX_SERVICE_TIME] += count[CFQX_IN_DRIVER] * now;
	}
}

/* What @group did; if @recursive with all that is or was below it. */
static void read_stats(struct cfqx_group *group, bool recursive,
		       struct cfqx_stats *stats)
{
	struct cfqx_data *cfqd = group->cfqd;
	struct cfqx_group *below = group;

	lockdep_assert_held(&cfqd->lock);
	*stats = group->stats;
	if (recursive) {
		stats_add(stats, &group->gone);
		while ((below = next_below(group, below))) {
			stats_add(stats, &below->stats);
			stats_add(stats, &below->gone);
		}
	}
	cfqd->stats_read = ktime_get_ns();
	stats_until(stats, cfqd->stats_read);
}

static u64 by_direction(const struct cfqx_stats *stats,
			enum cfqx_counter counter, enum cfqx_direction dir)
{
	return stats->count[CFQX_KIND(dir, false)][counter] +
	       stats->count[CFQX_KIND(dir, true)][counter];
}

static u64 by_sync(const struct cfqx_stats *stats, enum cfqx_counter counter,
		   bool sync)
{
	unsigned int dir;
	u64 sum = 0;

	for (dir = 0; dir < CFQX_NR_DIRECTIONS; dir++)
		sum += stats->count[CFQX_KIND(dir, sync)][counter];
	return sum;
}

static u64 total(const struct cfqx_stats *stats, enum cfqx_counter counter)
{
	return by_sync(stats, counter, false) + by_sync(stats, counter, true);
}

static u64 sectors(const struct cfqx_stats *stats)
{
	return total(stats, CFQX_BYTES) >> SECTOR_SHIFT;
}

/* Showing */

static struct cfqx_group *pd_to_group(struct blkg_policy_data *pd)
{
	return container_of(pd, struct cfqx_group, pd);
}

static void show_groups(struct seq_file *sf,
			u64 (*show)(struct seq_file *,
				    struct blkg_policy_data *, int),
			bool show_total)
{
	struct blkcg *blkcg = container_of(seq_css(sf), struct blkcg, css);

	blkcg_print_blkgs(sf, blkcg, show, &cfqx_policy, seq_cft(sf)->private,
			  show_total);
}

static u64 show_line(struct seq_file *sf, struct blkg_policy_data *pd, int off)
{
	struct cfqx_group *group = pd_to_group(pd);
	struct cfqx_data *cfqd = group->cfqd;
	unsigned int tags, staged, weight;
	struct cfqx_stats stats;

	spin_lock(&cfqd->lock);
	read_stats(group, false, &stats);
	tags = group->tags;
	staged = group->nr_staged;
	weight = group->weight;
	spin_unlock(&cfqd->lock);

	if (!cfqd->rqq->disk)
		return 0;
	seq_printf(sf, "%u:%u weight=%u time=%llu idle=%llu sectors=%llu tags=%u staged=%u",
		   cfqd->rqq->disk->major, cfqd->rqq->disk->first_minor,
		   weight, div_u64(stats.time, NSEC_PER_USEC),
		   div_u64(stats.idle_time, NSEC_PER_USEC), sectors(&stats),
		   tags, staged);
	seq_printf(sf, " wait=%llu service=%llu queued=%llu merged=%llu",
		   div_u64(total(&stats, CFQX_WAIT_TIME), NSEC_PER_USEC),
		   div_u64(total(&stats, CFQX_SERVICE_TIME), NSEC_PER_USEC),
		   total(&stats, CFQX_QUEUED), total(&stats, CFQX_MERGED));
	seq_printf(sf, " rios=%llu wios=%llu rbytes=%llu wbytes=%llu\n",
		   by_direction(&stats, CFQX_SERVICED, CFQX_READ),
		   by_direction(&stats, CFQX_SERVICED, CFQX_WRITE),
		   by_direction(&stats, CFQX_BYTES, CFQX_READ),
		   by_direction(&stats, CFQX_BYTES, CFQX_WRITE));
	return 0;
}

/* @what: the private word of a v1 file. */
static void read_for(struct blkg_policy_data *pd, int what,
		     struct cfqx_stats *stats)
{
	struct cfqx_group *group = pd_to_group(pd);

	spin_lock(&group->cfqd->lock);
	read_stats(group, what & CFQX_RECURSIVE, stats);
	spin_unlock(&group->cfqd->lock);
}

static u64 show_time(struct seq_file *sf, struct blkg_policy_data *pd, int what)
{
	struct cfqx_stats stats;

	read_for(pd, what, &stats);
	return __blkg_prfill_u64(sf, pd, div_u64(stats.time, NSEC_PER_MSEC));
}

static u64 show_sectors(struct seq_file *sf, struct blkg_policy_data *pd,
			int what)
{
	struct cfqx_stats stats;

	read_for(pd, what, &stats);
	return __blkg_prfill_u64(sf, pd, sectors(&stats));
}

static void show_kind(struct seq_file *sf, const struct gendisk *disk,
		      const char *kind, u64 value)
{
	seq_printf(sf, "%u:%u %s %llu\n", disk->major, disk->first_minor, kind,
		   value);
}

static u64 show_counter(struct seq_file *sf, struct blkg_policy_data *pd,
			int what)
{
	const struct gendisk *disk = pd_to_group(pd)->cfqd->rqq->disk;
	enum cfqx_counter counter = what & ~CFQX_RECURSIVE;
	struct cfqx_stats stats;

	if (!disk)
		return 0;
	read_for(pd, what, &stats);
	show_kind(sf, disk, "Read", by_direction(&stats, counter, CFQX_READ));
	show_kind(sf, disk, "Write", by_direction(&stats, counter, CFQX_WRITE));
	show_kind(sf, disk, "Sync", by_sync(&stats, counter, true));
	show_kind(sf, disk, "Async", by_sync(&stats, counter, false));
	show_kind(sf, disk, "Discard",
		  by_direction(&stats, counter, CFQX_DISCARD));
	show_kind(sf, disk, "Total", total(&stats, counter));
	return total(&stats, counter);
}

/**
 * cfqx_stats_show - io.cfqx.stat: a line of keys for each device
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_stats_show(struct seq_file *sf, void *v)
{
	show_groups(sf, show_line, false);
	return 0;
}

/**
 * cfqx_stats_show_time - blkio.time[_recursive]: device time in ms
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_stats_show_time(struct seq_file *sf, void *v)
{
	show_groups(sf, show_time, false);
	return 0;
}

/**
 * cfqx_stats_show_sectors - blkio.sectors[_recursive]: what was transferred
 * @sf: where to
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_stats_show_sectors(struct seq_file *sf, void *v)
{
	show_groups(sf, show_sectors, false);
	return 0;
}

/**
 * cfqx_stats_show_counter - blkio.io_*: a counter, for each kind of I/O
 * @sf: where to; the file's private word says which counter
 * @v: unused
 *
 * Context: process.
 * Return: 0.
 */
int cfqx_stats_show_counter(struct seq_file *sf, void *v)
{
	show_groups(sf, show_counter, true);
	return 0;
}
