// SPDX-License-Identifier: GPL-2.0
/*
 * Who writes on which partition.
 *
 * Journal commits and the write-back of metadata are submitted by kernel
 * threads of the root group, or by whatever task comes first, but it is the
 * writers of that file system who cause them.  Their device time (1 to 9 per
 * cent of a disk) is therefore divided among the groups that wrote data on the
 * same partition lately, in proportion to the bytes.  Nothing is known of a
 * partition nobody wrote to: there the root group pays.
 *
 * Now and then a file system commits by itself.  All other commits are forced by
 * somebody who waits: in an fsync, whose data is written just before.  Those who
 * forced a commit pay for it in equal parts: one who fsyncs a few bytes all day
 * makes the disk seek all day.
 *
 * The table is small and fixed: no allocation, and its entries are only hints
 * for a charge.  A group must be forgotten before it is freed.
 *
 * Locking: cfqx_data.lock.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "writers.h"

/* Beyond this many bytes what was written earlier counts half. */
#define AGE_BYTES	(64ULL << 20)

/*
 * What arrives at the journal so long (ns) after the last write is a new commit;
 * and after the shorter time, if it is one that somebody waits for.
 */
#define COMMIT_GAP	10000000ULL
#define FORCED_GAP	1000000ULL

/* Who sent something so long (ns) ago does not wait for a commit any more. */
#define WAIT_MAX	1000000000ULL

/**
 * cfqx_partition_find - the writers of a partition
 * @table: the device's table
 * @key: the partition
 *
 * Return: its entry, or NULL if nobody was seen to write there.
 */
struct cfqx_partition *cfqx_partition_find(struct cfqx_partitions *table,
					   const void *key)
{
	unsigned int i;

	if (table->last && table->last->key == key)
		return table->last;
	for (i = 0; i < CFQX_NR_PARTITIONS; i++) {
		if (table->partition[i].key == key) {
			table->last = &table->partition[i];
			return table->last;
		}
	}
	return NULL;
}

static struct cfqx_partition *partition_get(struct cfqx_partitions *table,
					    const void *key)
{
	struct cfqx_partition *partition = cfqx_partition_find(table, key);
	unsigned int i;

	if (partition)
		return partition;
	partition = &table->partition[0];
	for (i = 1; i < CFQX_NR_PARTITIONS; i++)
		if (table->partition[i].used < partition->used)
			partition = &table->partition[i];
	memset(partition, 0, sizeof(*partition));
	partition->key = key;
	table->last = partition;
	return partition;
}

static void writer_clear(struct cfqx_partition *partition,
			 struct cfqx_writer *writer)
{
	partition->nr_forced -= writer->forced;
	memset(writer, 0, sizeof(*writer));
}

static void partition_age(struct cfqx_partition *partition)
{
	unsigned int i;

	partition->bytes = 0;
	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		struct cfqx_writer *writer = &partition->writer[i];

		writer->bytes /= 2;
		if (!writer->bytes && !writer->waits && !writer->forced)
			writer_clear(partition, writer);
		partition->bytes += writer->bytes;
	}
}

/* Is it to pay for the commit under way, or the next one? */
static bool writer_waits(const struct cfqx_writer *writer)
{
	return writer->waits || writer->forced;
}

/* May @a rather be forgotten than @b? */
static bool writer_counts_less(const struct cfqx_writer *a,
			       const struct cfqx_writer *b)
{
	if (!a->group || !b->group)
		return b->group;
	if (writer_waits(a) != writer_waits(b))
		return writer_waits(b);
	return a->bytes < b->bytes;
}

/* Where @group is, or where it will be. */
static struct cfqx_writer *writer_place(struct cfqx_partition *partition,
					const void *group)
{
	struct cfqx_writer *least = &partition->writer[0];
	unsigned int i;

	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		struct cfqx_writer *writer = &partition->writer[i];

		if (writer->group == group)
			return writer;
		if (writer_counts_less(writer, least))
			least = writer;
	}
	return least;
}

static struct cfqx_writer *writer_get(struct cfqx_partition *partition,
				      void *group)
{
	struct cfqx_writer *writer = writer_place(partition, group);

	if (writer->group != group) {
		partition->bytes -= writer->bytes;
		writer_clear(partition, writer);
		writer->group = group;
	}
	return writer;
}

/**
 * cfqx_writers_note - a group writes data
 * @table: the device's table
 * @key: the partition it writes on
 * @group: the group
 * @bytes: how much
 */
void cfqx_writers_note(struct cfqx_partitions *table, const void *key,
		       void *group, unsigned int bytes)
{
	struct cfqx_partition *partition = partition_get(table, key);

	partition->used = ++table->clock;
	writer_get(partition, group)->bytes += bytes;
	partition->bytes += bytes;
	if (partition->bytes > AGE_BYTES)
		partition_age(partition);
}

/**
 * cfqx_writers_wait - a group sends what a task waits for
 * @table: the device's table
 * @key: the partition
 * @group: the group
 * @now: current time (ns)
 *
 * A commit is what the task will wait for next.
 *
 * Return: the partition's entry.
 */
struct cfqx_partition *cfqx_writers_wait(struct cfqx_partitions *table,
					 const void *key, void *group, u64 now)
{
	struct cfqx_partition *partition = partition_get(table, key);

	partition->used = ++table->clock;
	writer_get(partition, group)->waits = now;
	return partition;
}

/**
 * cfqx_writers_forget - a group goes away
 * @table: the device's table
 * @group: the group, which is not named by the table afterwards
 */
void cfqx_writers_forget(struct cfqx_partitions *table, const void *group)
{
	unsigned int i, j;

	for (i = 0; i < CFQX_NR_PARTITIONS; i++) {
		struct cfqx_partition *partition = &table->partition[i];

		for (j = 0; j < CFQX_NR_WRITERS; j++) {
			struct cfqx_writer *writer = &partition->writer[j];

			if (writer->group != group)
				continue;
			partition->bytes -= writer->bytes;
			writer_clear(partition, writer);
		}
	}
}

/**
 * cfqx_writers_waiting - does anybody wait for the next commit
 * @partition: where
 */
bool cfqx_writers_waiting(const struct cfqx_partition *partition)
{
	unsigned int i;

	for (i = 0; i < CFQX_NR_WRITERS; i++)
		if (partition->writer[i].waits)
			return true;
	return false;
}

/**
 * cfqx_writers_commit - a write to the journal arrives
 * @partition: where
 * @now: current time (ns), not before that of the last call
 * @busy: an earlier one has not ended
 *
 * It belongs to the commit under way, unless that ended a while ago.  Whoever
 * waits from now on waits for the next one.
 */
void cfqx_writers_commit(struct cfqx_partition *partition, u64 now, bool busy)
{
	u64 gap = now - partition->commit_time;
	unsigned int i;
	bool begins;

	begins = !busy && (gap > COMMIT_GAP ||
			   (gap > FORCED_GAP && cfqx_writers_waiting(partition)));
	partition->commit_time = now;
	partition->nr_forced = 0;
	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		struct cfqx_writer *writer = &partition->writer[i];

		writer->forced = (writer->forced && !begins) ||
				 (writer->waits &&
				  now - writer->waits < WAIT_MAX);
		writer->waits = 0;
		partition->nr_forced += writer->forced;
	}
}

/**
 * cfqx_writer_part_of_commit - what one writer owes of a write to the journal
 * @partition: where
 * @i: which writer
 * @ns: the cost to be divided
 *
 * Return: its part in ns; 0 for a free place.
 */
u64 cfqx_writer_part_of_commit(const struct cfqx_partition *partition,
			       unsigned int i, u64 ns)
{
	if (!partition->nr_forced)
		return cfqx_writer_part(partition, i, ns);
	if (!partition->writer[i].forced)
		return 0;
	return div_u64(ns, partition->nr_forced);
}

/**
 * cfqx_writer_part - what one writer owes of a shared cost
 * @partition: where
 * @i: which writer
 * @ns: the cost to be divided
 *
 * Return: its part in ns; 0 for a free place.
 */
u64 cfqx_writer_part(const struct cfqx_partition *partition, unsigned int i,
		     u64 ns)
{
	const struct cfqx_writer *writer = &partition->writer[i];

	if (!writer->group || !partition->bytes)
		return 0;
	return mul_u64_u64_div_u64(ns, writer->bytes, partition->bytes);
}
