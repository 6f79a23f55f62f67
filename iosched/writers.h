/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who writes on which partition: so that the journal's time can be charged to
 * those it works for.
 *
 * Locking: cfqx_data.lock, see writers.c.
 */
#ifndef CFQX_WRITERS_H
#define CFQX_WRITERS_H

#include <linux/types.h>

#define CFQX_NR_PARTITIONS	16
#define CFQX_NR_WRITERS		8

/**
 * struct cfqx_writer - one group that writes on a partition
 * @group: who (opaque here); NULL is a free place
 * @bytes: what it wrote lately, aged
 * @waits: when it last sent what a task waits for (ns), 0 if it did not since the
 * last commit began
 * @forced: it did before the commit that is under way, or was the last
 */
struct cfqx_writer {
	void *group;
	u64 bytes;
	u64 waits;
	bool forced;
};

/**
 * struct cfqx_partition - the recent writers of one partition
 * @key: names the partition (its block device); never dereferenced
 * @used: the table's clock when it was last written to
 * @bytes: sum over @writer
 * @nr_forced: writers with @forced
 * @commit_time: when a write to the journal last arrived or ended (ns)
 * @thread_time: when a thread of its own last wrote the journal (ns)
 * @writer: those who wait, and those with the most bytes
 */
struct cfqx_partition {
	const void *key;
	u64 used;
	u64 bytes;
	unsigned int nr_forced;
	u64 commit_time;
	u64 thread_time;
	struct cfqx_writer writer[CFQX_NR_WRITERS];
};

/**
 * struct cfqx_partitions - the partitions written to lately
 * @clock: counts the notes taken
 * @last: the entry used last
 * @partition: the table
 */
struct cfqx_partitions {
	u64 clock;
	struct cfqx_partition *last;
	struct cfqx_partition partition[CFQX_NR_PARTITIONS];
};

struct cfqx_partition *cfqx_partition_find(struct cfqx_partitions *table,
					   const void *key);
void cfqx_writers_note(struct cfqx_partitions *table, const void *key,
		       void *group, unsigned int bytes);
struct cfqx_partition *cfqx_writers_wait(struct cfqx_partitions *table,
					 const void *key, void *group, u64 now);
bool cfqx_writers_waiting(const struct cfqx_partition *partition);
void cfqx_writers_commit(struct cfqx_partition *partition, u64 now, bool busy);
void cfqx_writers_forget(struct cfqx_partitions *table, const void *group);
u64 cfqx_writer_part(const struct cfqx_partition *partition, unsigned int i,
		     u64 ns);
u64 cfqx_writer_part_of_commit(const struct cfqx_partition *partition,
			       unsigned int i, u64 ns);

#endif /* CFQX_WRITERS_H */
