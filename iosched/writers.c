// SPDX-License-Identifier: GPL-2.0
/*
 * Who writes on which partition.
 *
 * Journal commits and the write-back of metadata are submitted by kernel
 * threads of the root group, but it is the writers of that file system who
 * cause them.  Their device time (1 to 9 per cent of a disk) is therefore
 * divided among the groups that wrote data on the same partition lately, in
 * proportion to the bytes.  Nothing is known of a partition nobody wrote to:
 * there the root group pays.
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

static void partition_age(struct cfqx_partition *partition)
{
	unsigned int i;

	partition->bytes = 0;
	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		struct cfqx_writer *writer = &partition->writer[i];

		writer->bytes /= 2;
		if (!writer->bytes)
			writer->group = NULL;
		partition->bytes += writer->bytes;
	}
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
	struct cfqx_writer *least = &partition->writer[0];
	unsigned int i;

	partition->used = ++table->clock;
	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		struct cfqx_writer *writer = &partition->writer[i];

		if (writer->group == group) {
			least = writer;
			break;
		}
		if (!writer->group ||
		    (least->group && writer->bytes < least->bytes))
			least = writer;
	}
	if (least->group != group) {
		partition->bytes -= least->bytes;
		least->group = group;
		least->bytes = 0;
	}
	least->bytes += bytes;
	partition->bytes += bytes;
	if (partition->bytes > AGE_BYTES)
		partition_age(partition);
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
			writer->group = NULL;
			writer->bytes = 0;
		}
	}
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
