// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests share: expectations and random numbers.  Takes no locks.
 */
#include <stdarg.h>
#include <stdio.h>

#include "unit.h"

static bool failed;
static u64 random_state;

/**
 * expect - what must hold in a test
 * @ok: whether it does
 * @fmt: what is wrong if not; only the first in a test is printed
 *
 * Return: @ok.
 */
bool expect(bool ok, const char *fmt, ...)
{
	va_list args;

	if (ok || failed)
		return ok;
	failed = true;
	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	return false;
}

/**
 * expect_within - a number must be in a range
 * @value: the number
 * @low: the least it may be
 * @high: the most it may be
 * @what: its name
 *
 * Return: whether it is.
 */
bool expect_within(s64 value, s64 low, s64 high, const char *what)
{
	return expect(low <= value && value <= high,
		      "%s is %lld, not in %lld .. %lld", what, value, low,
		      high);
}

/**
 * expect_begin - a test begins
 */
void expect_begin(void)
{
	failed = false;
}

/**
 * expect_failed - has something not held since the test began
 */
bool expect_failed(void)
{
	return failed;
}

/**
 * random_seed - begin a sequence of random numbers
 * @seed: names the sequence
 */
void random_seed(u64 seed)
{
	random_state = seed;
}

/* splitmix64 */
static u64 random_u64(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * random_below - a number from 0 to @n - 1
 * @n: how many numbers there are
 */
u64 random_below(u64 n)
{
	return random_u64() % n;
}

/**
 * random_between - a number from @low to @high
 * @low: the least
 * @high: the greatest
 */
u64 random_between(u64 low, u64 high)
{
	return low + random_below(high - low + 1);
}

/**
 * random_chance - true in so many per cent of all cases
 * @percent: how many
 */
bool random_chance(unsigned int percent)
{
	return random_below(100) < percent;
}

/**
 * random_magnitude - a number from @low to @high, any magnitude as likely
 * @low: the least, not 0
 * @high: the greatest
 */
u64 random_magnitude(u64 low, u64 high)
{
	unsigned int doublings = 0;
	u64 limit;

	while (low << (doublings + 1) <= high)
		doublings++;
	limit = low << random_between(0, doublings);
	return random_between(limit, min(2 * limit - 1, high));
}
