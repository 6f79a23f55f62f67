/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unit tests of the algorithm files: what the suites share.
 *
 * A suite is a file test-*.c with a table of tests.  A test calls expect()
 * for what must hold; the first thing that does not is printed and fails it.
 * Random numbers begin with the same seed in each test: a failure comes back.
 *
 * Locking: none, everything is single threaded.
 */
#ifndef UNIT_H
#define UNIT_H

#include <linux/kernel.h>

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/**
 * struct unit_test - one test
 * @name: what holds if it passes
 * @run: the test
 * @xfail: why it is known to fail, or NULL
 */
struct unit_test {
	const char *name;
	void (*run)(void);
	const char *xfail;
};

#define TEST(what, fn)		{ .name = (what), .run = (fn) }
#define XFAIL(what, fn, why)	{ .name = (what), .run = (fn), .xfail = (why) }

/**
 * struct unit_suite - the tests of one file
 * @name: what they test
 * @tests: the tests; the last one has no name
 */
struct unit_suite {
	const char *name;
	const struct unit_test *tests;
};

extern const struct unit_suite shares_suite;
extern const struct unit_suite lag_suite;
extern const struct unit_suite slices_suite;
extern const struct unit_suite tree_suite;
extern const struct unit_suite wrap_suite;
extern const struct unit_suite device_time_suite;
extern const struct unit_suite writers_suite;
extern const struct unit_suite write_cache_suite;

bool expect(bool ok, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void expect_begin(void);
bool expect_failed(void);
bool expect_within(s64 value, s64 low, s64 high, const char *what);

void random_seed(u64 seed);
u64 random_below(u64 n);
u64 random_between(u64 low, u64 high);
bool random_chance(unsigned int percent);
u64 random_magnitude(u64 low, u64 high);

#endif /* UNIT_H */
