// SPDX-License-Identifier: GPL-2.0
/*
 * Writers: what the journal costs is divided among those who wrote, and nobody
 * is named who is gone.
 *
 * Takes no locks.
 */
#include <linux/string.h>

#include "unit.h"
#include "writers.h"

#define KIB		1024U
#define MIB		(1024U * KIB)
#define AGE_BYTES	(64ULL * MIB)

static struct cfqx_partitions table;
static u64 now;

/* Groups and partitions are only names: addresses in these. */
static char groups[64];
static char keys[64];

static void setup(void)
{
	memset(&table, 0, sizeof(table));
	now = NSEC_PER_SEC;
}

static const struct cfqx_writer *writer_of(const void *key, const void *group)
{
	struct cfqx_partition *partition = cfqx_partition_find(&table, key);
	unsigned int i;

	for (i = 0; partition && i < CFQX_NR_WRITERS; i++)
		if (partition->writer[i].group == group)
			return &partition->writer[i];
	return NULL;
}

static u64 bytes_of(const void *key, const void *group)
{
	const struct cfqx_writer *writer = writer_of(key, group);

	return writer ? writer->bytes : 0;
}

static u64 part_of(const void *key, const void *group, u64 ns)
{
	const struct cfqx_writer *writer = writer_of(key, group);
	struct cfqx_partition *partition = cfqx_partition_find(&table, key);

	return writer ? cfqx_writer_part(partition, writer - partition->writer,
					 ns) : 0;
}

static u64 commit_part_of(const void *key, const void *group, u64 ns)
{
	const struct cfqx_writer *writer = writer_of(key, group);
	struct cfqx_partition *partition = cfqx_partition_find(&table, key);

	return writer ? cfqx_writer_part_of_commit(partition,
						   writer - partition->writer,
						   ns) : 0;
}

/* A task of @group waits for a few bytes that it just sent. */
static void wait_for(const void *key, void *group)
{
	cfqx_writers_note(&table, key, group, KIB);
	cfqx_writers_wait(&table, key, group, now);
}

/* A write to the journal, @ms after the last; @busy: that has not ended. */
static void commit_write(const void *key, u64 ms, bool busy)
{
	now += ms * NSEC_PER_MSEC;
	cfqx_writers_commit(cfqx_partition_find(&table, key), now, busy);
}

/* What must hold of every partition at any time. */
static void check_partition(const struct cfqx_partition *partition, u64 ns)
{
	unsigned int i, j, nr = 0, nr_forced = 0;
	u64 bytes = 0, parts = 0, commit_parts = 0;

	for (i = 0; i < CFQX_NR_WRITERS; i++) {
		const struct cfqx_writer *writer = &partition->writer[i];
		u64 part = cfqx_writer_part(partition, i, ns);

		expect(writer->group || (!writer->bytes && !part),
		       "a free place has a part");
		for (j = 0; writer->group && j < i; j++)
			expect(partition->writer[j].group != writer->group,
			       "a group is named twice");
		nr += !!writer->group;
		bytes += writer->bytes;
		parts += part;
		nr_forced += writer->forced;
		commit_parts += cfqx_writer_part_of_commit(partition, i, ns);
	}
	expect(nr_forced == partition->nr_forced, "%u forced it, not %u",
	       nr_forced, partition->nr_forced);
	expect(bytes == partition->bytes, "sum is %llu, not %llu",
	       partition->bytes, bytes);
	expect(partition->bytes <= AGE_BYTES, "not aged");
	if (bytes)
		expect_within(ns - parts, 0, nr, "what nobody pays (ns)");
	if (bytes || nr_forced)
		expect_within(ns - commit_parts, 0, nr,
			      "what of a commit nobody pays (ns)");
	if (!bytes)
		expect(!parts, "parts of nothing");
}

static void check_table(u64 ns)
{
	unsigned int i, j;

	for (i = 0; i < CFQX_NR_PARTITIONS; i++) {
		check_partition(&table.partition[i], ns);
		for (j = 0; table.partition[i].key && j < i; j++)
			expect(table.partition[j].key != table.partition[i].key,
			       "a partition is in the table twice");
	}
}

static void test_proportion(void)
{
	setup();
	expect(!cfqx_partition_find(&table, &keys[0]), "found in no table");
	cfqx_writers_note(&table, &keys[0], &groups[0], 3 * MIB);
	cfqx_writers_note(&table, &keys[0], &groups[1], MIB);
	cfqx_writers_note(&table, &keys[1], &groups[1], MIB);
	cfqx_writers_note(&table, &keys[0], &groups[0], 3 * MIB);
	expect(part_of(&keys[0], &groups[0], 7000) == 6000, "six of seven");
	expect(part_of(&keys[0], &groups[1], 7000) == 1000, "one of seven");
	expect(part_of(&keys[0], &groups[0], 7000 * NSEC_PER_SEC) ==
	       6000 * NSEC_PER_SEC, "six of seven of two hours");
	expect(part_of(&keys[1], &groups[1], 7000) == 7000, "all of another");
	expect(!part_of(&keys[1], &groups[0], 7000), "did not write there");
	check_table(7000);
}

static void test_ageing(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < 32; i++) {
		cfqx_writers_note(&table, &keys[0], &groups[0], MIB);
		cfqx_writers_note(&table, &keys[0], &groups[1], MIB);
	}
	expect(bytes_of(&keys[0], &groups[0]) == 32 * MIB, "aged too early");
	cfqx_writers_note(&table, &keys[0], &groups[2], 2 * KIB);
	expect(bytes_of(&keys[0], &groups[0]) == 16 * MIB, "not halved");
	expect(bytes_of(&keys[0], &groups[2]) == KIB, "not halved");
	check_table(NSEC_PER_SEC);
	for (i = 0; i < 600; i++)
		cfqx_writers_note(&table, &keys[0], &groups[0], MIB);
	expect(!writer_of(&keys[0], &groups[2]), "named though all is aged");
	expect(part_of(&keys[0], &groups[0], NSEC_PER_SEC) >=
	       NSEC_PER_SEC * 99 / 100, "who stopped long ago still pays");
	check_table(NSEC_PER_SEC);
}

/* More groups than places: whoever wrote least makes room. */
static void test_many_writers(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < CFQX_NR_WRITERS; i++)
		cfqx_writers_note(&table, &keys[0], &groups[i],
				  i == 3 ? KIB : MIB);
	for (i = 0; i < CFQX_NR_WRITERS; i++)
		expect(writer_of(&keys[0], &groups[i]), "%u has no place", i);
	cfqx_writers_note(&table, &keys[0], &groups[20], 2 * KIB);
	expect(bytes_of(&keys[0], &groups[20]) == 2 * KIB,
	       "the new one has not what it wrote");
	expect(!writer_of(&keys[0], &groups[3]), "the least is still there");
	for (i = 0; i < CFQX_NR_WRITERS; i++)
		expect(i == 3 || bytes_of(&keys[0], &groups[i]) == MIB,
		       "%u was replaced, or has changed", i);
	check_table(NSEC_PER_SEC);
}

/* More partitions than places: the one used longest ago makes room. */
static void test_many_partitions(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < CFQX_NR_PARTITIONS; i++)
		cfqx_writers_note(&table, &keys[i], &groups[0], MIB);
	for (i = 0; i < CFQX_NR_PARTITIONS; i++)
		if (i != 5)
			cfqx_writers_note(&table, &keys[i], &groups[0], MIB);
	expect(bytes_of(&keys[5], &groups[0]) == MIB, "no place for sixteen");
	cfqx_writers_note(&table, &keys[20], &groups[1], MIB);
	expect(!cfqx_partition_find(&table, &keys[5]), "the oldest is there");
	for (i = 0; i < CFQX_NR_PARTITIONS; i++)
		expect(i == 5 || bytes_of(&keys[i], &groups[0]) == 2 * MIB,
		       "partition %u was replaced, or has changed", i);
	expect(bytes_of(&keys[20], &groups[1]) == MIB, "the new one is not");
	expect(!writer_of(&keys[20], &groups[0]), "it has the old one's writer");
	check_table(NSEC_PER_SEC);
}

static void test_forget(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < CFQX_NR_PARTITIONS; i++) {
		cfqx_writers_note(&table, &keys[i], &groups[i % 3], MIB);
		cfqx_writers_note(&table, &keys[i], &groups[7], MIB);
	}
	cfqx_writers_forget(&table, &groups[7]);
	for (i = 0; i < CFQX_NR_PARTITIONS; i++) {
		expect(!writer_of(&keys[i], &groups[7]), "still named");
		expect(part_of(&keys[i], &groups[i % 3], 1000) == 1000,
		       "the other one does not pay all");
	}
	for (i = 0; i < 3; i++)
		cfqx_writers_forget(&table, &groups[i]);
	check_table(1000);
	for (i = 0; i < CFQX_NR_PARTITIONS; i++)
		expect(!table.partition[i].bytes, "somebody is left");
	cfqx_writers_note(&table, &keys[0], &groups[7], KIB);
	expect(part_of(&keys[0], &groups[7], 1000) == 1000,
	       "who writes again is not named");
}

/* Who waits pays for the commit that comes next, and for that one only. */
static void test_forced(void)
{
	setup();
	cfqx_writers_note(&table, &keys[0], &groups[0], 9 * MIB);
	cfqx_writers_note(&table, &keys[0], &groups[1], MIB);
	cfqx_writers_wait(&table, &keys[0], &groups[1], now);
	expect(commit_part_of(&keys[0], &groups[0], 1000) == 900,
	       "waiting changed who paid before");
	commit_write(&keys[0], 0, false);
	expect(commit_part_of(&keys[0], &groups[1], 1000) == 1000,
	       "who forced it does not pay");
	expect(part_of(&keys[0], &groups[0], 1000) == 900,
	       "metadata is the part of who forced a commit");
	commit_write(&keys[0], 8, false);
	expect(commit_part_of(&keys[0], &groups[1], 1000) == 1000,
	       "who forced it does not pay for its end");
	commit_write(&keys[0], 12, false);
	expect(!table.partition[0].nr_forced,
	       "the one by itself was forced");
	check_table(7000);
}

/* Two who wait for the same commit share it, two that wait in turn do not. */
static void test_forced_by_two(void)
{
	setup();
	wait_for(&keys[0], &groups[1]);
	commit_write(&keys[0], 0, false);
	wait_for(&keys[0], &groups[2]);
	commit_write(&keys[0], 0, false);
	expect(commit_part_of(&keys[0], &groups[2], 1000) == 500,
	       "two did not force it together");
	wait_for(&keys[0], &groups[2]);
	commit_write(&keys[0], 2, true);
	expect(commit_part_of(&keys[0], &groups[1], 1000) == 500,
	       "a new commit though the last is under way");
	wait_for(&keys[0], &groups[2]);
	commit_write(&keys[0], 2, false);
	expect(commit_part_of(&keys[0], &groups[2], 1000) == 1000,
	       "the next is the part of who forced the last");
	check_table(7000);
}

/* What was sent long ago is not what a commit is forced by. */
static void test_forgotten_wait(void)
{
	setup();
	wait_for(&keys[0], &groups[1]);
	commit_write(&keys[0], 1200, false);
	expect(!table.partition[0].nr_forced, "it waited all the time");
	check_table(7000);
}

/* The table is full of big writers: who waits for a few bytes stays in it. */
static void test_waiter_stays(void)
{
	unsigned int i;

	setup();
	wait_for(&keys[0], &groups[0]);
	for (i = 1; i < 20; i++)
		cfqx_writers_note(&table, &keys[0], &groups[i], 60 * MIB);
	commit_write(&keys[0], 0, false);
	for (i = 1; i < 20; i++)
		cfqx_writers_note(&table, &keys[0], &groups[i], 60 * MIB);
	expect(commit_part_of(&keys[0], &groups[0], 1000) == 1000,
	       "who waited is not named");
	cfqx_writers_forget(&table, &groups[0]);
	expect(!table.partition[0].nr_forced, "somebody gone forced it");
	check_table(7000);
}

/* Groups live and die; @alive tells which the table may name. */
static void test_random(void)
{
	bool alive[ARRAY_SIZE(groups)] = { };
	unsigned int i, j, group;

	setup();
	for (i = 0; i < 50000 && !expect_failed(); i++) {
		group = random_below(ARRAY_SIZE(groups));
		if (random_chance(10)) {
			cfqx_writers_forget(&table, &groups[group]);
			alive[group] = false;
		} else {
			cfqx_writers_note(&table,
					  &keys[random_below(random_chance(80) ?
							     8 : 40)],
					  &groups[group],
					  random_magnitude(1, 4 * MIB));
			alive[group] = true;
		}
		j = random_below(CFQX_NR_PARTITIONS);
		if (random_chance(10) && alive[group] && table.partition[j].key)
			wait_for(table.partition[j].key, &groups[group]);
		if (random_chance(30) && table.partition[j].key)
			commit_write(table.partition[j].key,
				     random_magnitude(1, 20),
				     random_chance(20));
		check_table(random_magnitude(1, 60 * NSEC_PER_SEC));
		for (j = 0; j < CFQX_NR_PARTITIONS * CFQX_NR_WRITERS; j++) {
			char *named = table.partition[j / CFQX_NR_WRITERS]
				.writer[j % CFQX_NR_WRITERS].group;

			expect(!named || alive[named - groups],
			       "a group that is gone is named");
		}
	}
}

static const struct unit_test tests[] = {
	TEST("parts are in proportion to what was written", test_proportion),
	TEST("what was written earlier counts half", test_ageing),
	TEST("of too many writers the least makes room", test_many_writers),
	TEST("of too many partitions the oldest makes room",
	     test_many_partitions),
	TEST("a group that is forgotten is not named", test_forget),
	TEST("who forces a commit pays for it", test_forced),
	TEST("who forces a commit together shares it", test_forced_by_two),
	TEST("who waited long ago forces nothing", test_forgotten_wait),
	TEST("who waits for a few bytes is not forgotten", test_waiter_stays),
	TEST("parts add up and nobody who is gone is named", test_random),
	{ }
};

const struct unit_suite writers_suite = { "writers", tests };
