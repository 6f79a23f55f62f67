// SPDX-License-Identifier: GPL-2.0
/*
 * Device time: what is charged and what is idle add up to what has passed, and
 * each request is charged what it took.
 *
 * Takes no locks.
 */
#include <linux/string.h>

#include "device_time.h"
#include "unit.h"

#define NR_FLIGHT	32
#define START		(5 * NSEC_PER_SEC)
#define TICKET_MASK	((1ULL << CFQX_TICKET_BITS) - 1)

/**
 * struct flight - a request in the device
 * @ticket: what the clock gave for it
 * @units: the work it is
 * @part: what it is to be charged on a shared device (ns), found naively
 */
struct flight {
	u64 ticket;
	unsigned int units;
	double part;
};

/**
 * struct device - a device, its clock and what is expected of it
 * @clock: the clock
 * @now: current time (ns)
 * @last: time (ns) up to which flight.part is found
 * @charged: sum of what the clock charged (ns)
 * @idle: sum of what it called idle (ns)
 * @returned: parts of requests that came back, not yet divided again (ns)
 * @events: number of calls
 * @units: units of work in @flight
 * @nr_flight: number of requests in @flight
 * @flight: the requests in the device
 */
struct device {
	struct cfqx_device_time clock;
	u64 now;
	u64 last;
	u64 charged;
	u64 idle;
	double returned;
	u64 events;
	unsigned int units;
	unsigned int nr_flight;
	struct flight flight[NR_FLIGHT];
};

static struct device dev;

static void setup(bool shared)
{
	memset(&dev, 0, sizeof(dev));
	dev.now = START;
	dev.last = START;
	cfqx_time_init(&dev.clock, START, shared);
}

static double absolute(double x)
{
	return x < 0 ? -x : x;
}

/* Time passes; on a shared device all units in flight have equal parts. */
static void pass(u64 ns)
{
	unsigned int i;

	dev.now += ns;
	dev.events++;
	for (i = 0; i < dev.nr_flight; i++)
		dev.flight[i].part += (dev.now - dev.last + dev.returned) *
				      dev.flight[i].units / dev.units;
	if (dev.nr_flight)
		dev.returned = 0;
	dev.last = dev.now;
}

static void do_dispatch(void)
{
	struct flight *flight = &dev.flight[dev.nr_flight];

	if (dev.nr_flight == NR_FLIGHT)
		return;
	dev.idle += cfqx_time_idle(&dev.clock, dev.now);
	flight->units = cfqx_time_units(random_magnitude(1, 2048));
	flight->part = 0;
	flight->ticket = cfqx_time_dispatch(&dev.clock, dev.now,
					    flight->units) & TICKET_MASK;
	dev.units += flight->units;
	dev.nr_flight++;
}

/* Take a request out of the device, any one. */
static struct flight take(void)
{
	unsigned int i = random_below(dev.nr_flight);
	struct flight flight = dev.flight[i];

	dev.flight[i] = dev.flight[--dev.nr_flight];
	dev.units -= flight.units;
	return flight;
}

static void do_complete(void)
{
	struct flight flight;
	u64 ns;

	if (!dev.nr_flight)
		return;
	flight = take();
	ns = cfqx_time_complete(&dev.clock, dev.now, flight.ticket,
				flight.units);
	dev.charged += ns;
	if (dev.clock.shared)
		expect(absolute(ns - flight.part) <=
		       1 + flight.part / 1000 + flight.units,
		       "%u units: charged %llu ns, want %.1f", flight.units,
		       ns, flight.part);
}

static void do_forget(void)
{
	struct flight flight;

	if (!dev.nr_flight)
		return;
	flight = take();
	cfqx_time_forget(&dev.clock, dev.now, flight.ticket, flight.units);
	dev.returned += flight.part;
}

static void do_foreign(void)
{
	u64 started = dev.now - random_below(min(dev.now - START + 1,
						 10 * NSEC_PER_MSEC));

	dev.idle += cfqx_time_idle(&dev.clock, started);
	dev.charged += cfqx_time_foreign(&dev.clock, dev.now, started);
}

static void do_idle(void)
{
	dev.idle += cfqx_time_idle(&dev.clock, dev.now);
}

/* Let what is in the device complete, and close the last interval. */
static void drain(void)
{
	while (dev.nr_flight) {
		pass(random_below(NSEC_PER_MSEC));
		do_complete();
	}
	pass(1);
	do_idle();
	expect(!dev.clock.in_flight && !dev.clock.units,
	       "something is left in flight");
	expect(dev.clock.busy == dev.charged, "busy time is not what is charged");
}

static void check_sum(void)
{
	expect(dev.charged + dev.idle == dev.clock.last_event - START,
	       "after %llu events charged %llu + idle %llu, passed %llu",
	       dev.events, dev.charged, dev.idle, dev.clock.last_event - START);
	expect(dev.clock.in_flight == dev.nr_flight, "in_flight is wrong");
}

static void test_serial_sum(void)
{
	static void (*const operations[])(void) = {
		do_dispatch, do_dispatch, do_complete, do_complete, do_forget,
		do_foreign, do_idle,
	};
	unsigned int seed, i;

	for (seed = 1; seed <= 100; seed++) {
		random_seed(seed);
		setup(false);
		for (i = 0; i < 3000; i++) {
			pass(random_chance(20) ? 0 :
			     random_magnitude(1, 50 * NSEC_PER_MSEC));
			operations[random_below(ARRAY_SIZE(operations))]();
			check_sum();
		}
		drain();
		check_sum();
		expect(dev.charged + dev.idle == dev.now - START,
		       "sum is %llu, passed %llu", dev.charged + dev.idle,
		       dev.now - START);
	}
}

/* A disk that is never empty and serves what it has in any order. */
static void test_serial_each(void)
{
	unsigned int i;
	u64 took, before;

	setup(false);
	for (i = 0; i < 10000; i++) {
		while (dev.nr_flight < 1 || random_chance(50))
			if (dev.nr_flight < NR_FLIGHT)
				do_dispatch();
		took = random_between(100 * NSEC_PER_USEC, 20 * NSEC_PER_MSEC);
		pass(took / 2);
		do_dispatch();
		pass(took - took / 2);
		before = dev.charged;
		do_complete();
		expect(dev.charged - before == took,
		       "charged %llu ns for %llu", dev.charged - before, took);
		if (!dev.nr_flight) {
			pass(random_below(NSEC_PER_MSEC));
			do_dispatch();
		}
	}
}

/* Time stamps are taken before the lock: they may come in another order. */
static void test_time_goes_back(void)
{
	unsigned int shared, i;
	u64 before;

	for (shared = 0; shared <= 1; shared++) {
		setup(shared);
		for (i = 0; i < 1000; i++)
			cfqx_time_dispatch(&dev.clock, START, 1);
		for (i = 0; i < 1000; i++) {
			dev.now = START + i * NSEC_PER_USEC -
				  random_below(5) * NSEC_PER_USEC;
			before = dev.clock.last_event;
			cfqx_time_foreign(&dev.clock, dev.now, START);
			dev.charged += cfqx_time_complete(&dev.clock, dev.now,
							  0, 1);
			expect(dev.clock.last_event >= before,
			       "the clock went back");
			expect(dev.charged <= 1000 * 1000 * NSEC_PER_USEC,
			       "charged for time going back");
		}
		before = dev.clock.last_event;
		expect(!cfqx_time_idle(&dev.clock, before - 1),
		       "idle before now");
		cfqx_time_dispatch(&dev.clock, before - 1, 1);
		expect(dev.clock.last_event == before, "the clock went back");
	}
}

static void test_foreign(void)
{
	setup(false);
	expect(cfqx_time_foreign(&dev.clock, START + 9, START + 4) == 5,
	       "on an empty device: not from its start");
	expect(cfqx_time_foreign(&dev.clock, START + 12, START + 4) == 3,
	       "charged twice for what is charged already");
	expect(cfqx_time_idle(&dev.clock, START + 13) == 1, "not idle since");
	cfqx_time_dispatch(&dev.clock, START + 13, 1);
	expect(cfqx_time_foreign(&dev.clock, START + 20, START + 18) == 7,
	       "on a busy device: not since the last event");
	expect(cfqx_time_complete(&dev.clock, START + 22, 0, 1) == 2,
	       "the next request pays for the foreign one");
	setup(true);
	cfqx_time_dispatch(&dev.clock, START, 1);
	expect(!cfqx_time_foreign(&dev.clock, START + 9, START + 4),
	       "charged on a shared device");
	expect(cfqx_time_complete(&dev.clock, START + 9, 0, 1) == 9,
	       "paid for on a shared device");
}

/* Random load on a shared device.  @forget: in how many per cent of events. */
static void load_shared(unsigned int seed, unsigned int forget, u64 gap)
{
	unsigned int i;

	random_seed(seed);
	setup(true);
	dev.clock.integral = random_chance(50) ? 0 :
			     TICKET_MASK - NSEC_PER_MSEC;
	for (i = 0; i < 5000; i++) {
		pass(random_magnitude(1, gap));
		if (random_chance(forget))
			do_forget();
		else if (random_chance(50))
			do_dispatch();
		else if (random_chance(90))
			do_complete();
		else
			do_foreign();
	}
	drain();
}

static void test_shared_sum(void)
{
	unsigned int seed;
	u64 sum, passed;

	for (seed = 1; seed <= 100; seed++) {
		load_shared(seed, 0, seed & 1 ? 20 * NSEC_PER_MSEC :
						50 * NSEC_PER_USEC);
		sum = dev.charged + dev.idle;
		passed = dev.now - START;
		expect(sum <= passed, "seed %u: charged too much", seed);
		expect(passed - sum <= 1 + passed / 1000000,
		       "seed %u: %llu of %llu ns are lost", seed, passed - sum,
		       passed);
	}
}

static void test_shared_forget(void)
{
	unsigned int seed;
	u64 sum, passed;

	for (seed = 1; seed <= 20; seed++) {
		load_shared(seed, 5, 20 * NSEC_PER_MSEC);
		sum = dev.charged + dev.idle;
		passed = dev.now - START;
		expect_within(sum, passed - 1 - passed / 1000000, passed,
			      "charged and idle");
	}
}

/* What came back was not served: the others have its part, or who comes next. */
static void test_shared_forget_part(void)
{
	u64 first, second;

	setup(true);
	first = cfqx_time_dispatch(&dev.clock, START, 1);
	second = cfqx_time_dispatch(&dev.clock, START, 3);
	cfqx_time_forget(&dev.clock, START + 100, second, 3);
	expect_within(cfqx_time_complete(&dev.clock, START + 100, first, 1),
		      99, 100, "charge of the one that stayed");
	first = cfqx_time_dispatch(&dev.clock, START + 100, 2);
	cfqx_time_forget(&dev.clock, START + 150, first, 2);
	second = cfqx_time_dispatch(&dev.clock, START + 150, 1);
	expect_within(cfqx_time_complete(&dev.clock, START + 160, second, 1),
		      59, 61, "charge of the one that came next");
}

static void test_units(void)
{
	unsigned int sectors;

	expect(cfqx_time_units(0) >= 1, "no work for an empty request");
	expect(cfqx_time_units(8) == 1, "4 KiB are not one unit");
	for (sectors = 0; sectors < 10000; sectors++)
		expect(cfqx_time_units(sectors + 32) ==
		       cfqx_time_units(sectors) + 1,
		       "16 KiB do not add one unit");
}

static const struct unit_test tests[] = {
	TEST("serial: charges and idle time add up to the nanosecond",
	     test_serial_sum),
	TEST("serial: each request is charged what it took", test_serial_each),
	TEST("foreign requests are charged once", test_foreign),
	TEST("time stamps out of order do no harm", test_time_goes_back),
	TEST("shared: charges and idle time add up to a millionth",
	     test_shared_sum),
	TEST("shared: nothing is lost with a request that came back",
	     test_shared_forget),
	TEST("shared: the part of a request that came back goes to the others",
	     test_shared_forget_part),
	TEST("a request's work grows with its size", test_units),
	{ }
};

const struct unit_suite device_time_suite = { "device_time", tests };
