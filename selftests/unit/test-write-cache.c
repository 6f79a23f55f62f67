// SPDX-License-Identifier: GPL-2.0
/*
 * The write cache: its size is learned, and time is charged to whose data is
 * written in it, beside a device that has such a cache.
 *
 * Takes no locks.
 */
#include <linux/math64.h>
#include <linux/string.h>

#include "unit.h"
#include "write_cache.h"

#define KIB		1024ULL
#define MIB		(1024ULL * KIB)
#define REQUEST		(512ULL * KIB)
#define CACHE		(8 * MIB)
#define INTERFACE	3	/* ns a byte */

/* What data of an owner takes to be written, in ns a byte: slow zones and fast. */
static const unsigned int cost[] = { 8, 10, 13, 16 };

#define OWNERS		4

static struct cfqx_write_cache cache;
static char names[OWNERS];

/* The device: a ring of requests that it holds, as numbers of their owners. */
static struct {
	unsigned int held[CACHE / REQUEST];
	unsigned int first, nr;
	u64 busy[OWNERS];
} device;

static u64 charged[OWNERS];
static u64 nobody;

static void same(const char *what, u64 got, u64 want)
{
	expect(got == want, "%s is %llu, not %llu", what,
	       (unsigned long long)got, (unsigned long long)want);
}

static void setup(void)
{
	memset(&cache, 0, sizeof(cache));
	memset(&device, 0, sizeof(device));
	memset(charged, 0, sizeof(charged));
	nobody = 0;
}

/* The device takes a request of owner @i; how long that lasts. */
static u64 device_write(unsigned int i)
{
	u64 ns = INTERFACE * REQUEST;

	if (device.nr == CACHE / REQUEST) {
		unsigned int owner = device.held[device.first];

		device.first = (device.first + 1) % (CACHE / REQUEST);
		device.nr--;
		ns = cost[owner] * REQUEST;
		device.busy[owner] += ns;
	}
	device.held[(device.first + device.nr++) % (CACHE / REQUEST)] = i;
	return ns;
}

static void charge(void *owner, u64 ns)
{
	if (!owner)
		nobody += ns;
	else
		charged[(char *)owner - names] += ns;
}

/* One write of owner @i, charged as the scheduler does. */
static void write_one(unsigned int i)
{
	u64 ns = device_write(i), part, bytes, left;
	void *owner;

	left = cfqx_write_cache_add(&cache, &names[i], REQUEST, ns);
	if (!left) {
		charge(&names[i], ns);
		return;
	}
	while ((bytes = cfqx_write_cache_take(&cache, left, &owner))) {
		part = ns * bytes / left;
		charge(owner, part);
		ns -= part;
		left -= bytes;
	}
	charge(owner, ns);
}

static void fill(void)
{
	unsigned int n;

	cfqx_write_cache_empty(&cache);
	device.nr = 0;
	for (n = 0; n < 2 * CACHE / REQUEST; n++)
		write_one(0);
}

static void size_is_learned(void)
{
	setup();
	same("size", cache.size, 0);
	fill();
	same("size", cache.size, CACHE);
	expect(!cache.filling, "still learning");
	fill();
	same("size", cache.size, CACHE);
}

static void nothing_is_learned_without_a_flush(void)
{
	unsigned int n;

	setup();
	for (n = 0; n < 100; n++)
		write_one(n % OWNERS);
	same("size", cache.size, 0);
	same("nr", cache.nr, 0);
}

/* What is as slow from the start is no cache; nor is one without an end. */
static void no_cache_is_none(void)
{
	unsigned int n;

	setup();
	cfqx_write_cache_empty(&cache);
	for (n = 0; n < 1000; n++)
		same("written", cfqx_write_cache_add(&cache, &names[0], REQUEST,
						     REQUEST * 8), 0);
	same("size", cache.size, 0);
	expect(!cache.filling, "still learning");
}

/* A read in between: the device may have written meanwhile. */
static void others_end_learning(void)
{
	unsigned int n;

	setup();
	cfqx_write_cache_empty(&cache);
	for (n = 0; n < 100; n++) {
		if (n == 10)
			cfqx_write_cache_other(&cache);
		write_one(0);
	}
	same("size", cache.size, 0);
}

/* Turns of equal bytes: who is slow pays for it, in whose turn ever it is. */
static void time_is_whose_data_is_written(void)
{
	unsigned int turn, i, n;

	setup();
	fill();
	memset(charged, 0, sizeof(charged));
	memset(device.busy, 0, sizeof(device.busy));
	for (turn = 0; turn < 400; turn++)
		for (n = 0; n < 24; n++)
			write_one(turn % OWNERS);
	for (i = 0; i < OWNERS; i++) {
		u64 off = charged[i] > device.busy[i] ?
			  charged[i] - device.busy[i] :
			  device.busy[i] - charged[i];

		expect(device.busy[i] > 0, "owner %u wrote nothing", i);
		expect(off * 1000 <= device.busy[i], "owner %u off by %llu", i,
		       (unsigned long long)off);
	}
	same("nobody", nobody, 0);
}

/* Every nanosecond is charged, whatever comes and goes. */
static void nothing_is_lost(void)
{
	u64 sum = 0, before;
	unsigned int n, i;

	setup();
	fill();
	memset(charged, 0, sizeof(charged));
	memset(device.busy, 0, sizeof(device.busy));
	for (n = 0; n < 5000; n++) {
		write_one(random_below(OWNERS));
		if (random_chance(1))
			cfqx_write_cache_forget(&cache,
						&names[random_below(OWNERS)]);
		expect(cache.nr <= CFQX_NR_CACHED, "%u parts", cache.nr);
		expect(cache.bytes <= cache.size, "more than it holds");
	}
	before = nobody;
	for (i = 0; i < OWNERS; i++) {
		sum += device.busy[i];
		before += charged[i];
	}
	same("before", before, sum);
	expect(nobody > 0, "nobody was forgotten");
}

static void who_is_gone_is_not_named(void)
{
	void *owner;

	setup();
	fill();
	cfqx_write_cache_forget(&cache, &names[0]);
	same("taken", cfqx_write_cache_take(&cache, 4 * MIB, &owner), 4 * MIB);
	expect(!owner, "who is gone is named");
	same("taken", cfqx_write_cache_take(&cache, 0, &owner), 0);
}

static const struct unit_test tests[] = {
	TEST("its size is learned after a flush", size_is_learned),
	TEST("nothing is learned without a flush",
	     nothing_is_learned_without_a_flush),
	TEST("what is no faster at first is none", no_cache_is_none),
	TEST("others end learning", others_end_learning),
	TEST("time is whose data is written", time_is_whose_data_is_written),
	TEST("nothing is lost", nothing_is_lost),
	TEST("who is gone is not named", who_is_gone_is_not_named),
	{ }
};

const struct unit_suite write_cache_suite = { "write cache", tests };
