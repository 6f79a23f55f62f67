// SPDX-License-Identifier: GPL-2.0
/*
 * Unit test of the modelled disk's mechanics (../model.c), in userspace and in
 * KTAP. Every figure is held against what the parameters promise, not against an
 * earlier run. Takes no locks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../model.h"

#define US		1000ULL
#define MS		1000000ULL
#define SEC		1000000000ULL
#define MIB_SECTORS	2048ULL
#define DEFAULT_MIB	65536ULL

static const struct mdisk_params defaults = {
	.sectors	= DEFAULT_MIB * MIB_SECTORS,
	.rpm		= 7200,
	.zones		= 16,
	.rate_outer	= 120,
	.rate_inner	= 60,
	.seek_track_us	= 800,
	.seek_avg_us	= 8500,
	.seek_full_us	= 17000,
	.readahead_kib	= 512,
	.iface_rate	= 300,
};

static struct mdisk_model model;
static bool failed;

/* Always the same sequence: a failure must come back. */
static u64 random_below(u64 n)
{
	static u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void expect(bool ok, const char *fmt, ...)
{
	va_list args;

	if (ok || failed)
		return;
	failed = true;
	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static void expect_near(u64 got, u64 want, u64 slack, const char *what)
{
	expect(got <= want + slack && want <= got + slack,
	       "%s: %llu, want %llu +- %llu", what, (unsigned long long)got,
	       (unsigned long long)want, (unsigned long long)slack);
}

static void setup(const struct mdisk_params *p)
{
	const char *why = mdisk_model_init(&model, p);

	expect(!why, "refused: %s", why);
}

static struct mdisk_span span_at(u64 sector, u32 nr)
{
	struct mdisk_span span;

	mdisk_span_init(&model, &span, sector, nr);
	return span;
}

static u64 serve(struct mdisk_head *h, u64 t, u64 sector, u32 nr, bool write)
{
	struct mdisk_span span = span_at(sector, nr);

	return mdisk_serve(&model, h, t, &span, write);
}

static void seek_ends(void)
{
	u64 last;

	setup(&defaults);
	last = model.last_track;
	expect_near(mdisk_seek(&model, 5, 5), 0, 0, "same track");
	expect_near(mdisk_seek(&model, 5, 6), 800 * US, 0, "next track");
	expect_near(mdisk_seek(&model, 6, 5), 800 * US, 0, "previous track");
	expect_near(mdisk_seek(&model, 0, last), 17 * MS, US, "full stroke");
	expect_near(mdisk_seek(&model, last, 0), 17 * MS, US, "and back");
}

static void seek_monotone(void)
{
	u64 d, before = 0;

	setup(&defaults);
	for (d = 1; d <= model.last_track; d++) {
		u64 s = mdisk_seek(&model, 0, d);

		expect(s >= before, "seek over %llu tracks falls",
		       (unsigned long long)d);
		/* also no jump where the two parts of the curve meet */
		expect(d < 20 || s - before < 100 * US,
		       "seek over %llu tracks jumps", (unsigned long long)d);
		before = s;
	}
}

static void seek_average(void)
{
	static const u32 times[][3] = {
		{ 800, 8500, 17000 }, { 500, 4000, 8000 }, { 0, 9000, 20000 },
		{ 1000, 1000, 1000 },
	};
	const u32 pairs = 400000;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(times); k++) {
		struct mdisk_params p = defaults;
		u64 sum = 0;

		p.seek_track_us = times[k][0];
		p.seek_avg_us = times[k][1];
		p.seek_full_us = times[k][2];
		setup(&p);
		for (i = 0; i < pairs; i++)
			sum += mdisk_seek(&model,
					  random_below(model.last_track + 1),
					  random_below(model.last_track + 1));
		expect_near(sum / pairs, p.seek_avg_us * US,
			    p.seek_avg_us * US / 200, "mean seek");
	}
}

static void zone_rates(void)
{
	u64 zone = defaults.sectors / defaults.zones;
	u32 i;

	setup(&defaults);
	for (i = 0; i < defaults.zones; i++) {
		u64 ns = mdisk_media(&model, (i + 1) * zone) -
			 mdisk_media(&model, i * zone);
		u64 rate = 120 - 60 * i / 15;
		u64 want = (zone * 512 * 1000 + rate / 2) / rate;

		expect_near(ns, want, want / 100000, "time of a zone");
	}
}

static void media_monotone(void)
{
	u64 s, before = 0;

	setup(&defaults);
	for (s = 1; s <= model.sectors; s += 1 + random_below(4096)) {
		u64 m = mdisk_media(&model, s);

		expect(m > before, "media time stands still at %llu",
		       (unsigned long long)s);
		before = m;
	}
	expect_near(mdisk_media(&model, model.sectors), model.media_end, 0,
		    "end of the disk");
	expect_near(mdisk_media(&model, model.sectors + 99), model.media_end, 0,
		    "behind the end");
}

static void rotation(void)
{
	const u32 tries = 200000;
	u64 sum = 0;
	u32 i;

	setup(&defaults);
	for (i = 0; i < tries; i++) {
		struct mdisk_head h = {};
		struct mdisk_span span = span_at(random_below(1000), 8);
		u64 t = random_below(1000 * SEC);
		u64 begin = mdisk_access(&model, &h, t, &span, true);

		expect(begin >= t && begin - t < model.period,
		       "waits more than a turn");
		expect(begin % model.period == span.first % model.period,
		       "begins at the wrong angle");
		sum += begin - t;
	}
	expect_near(sum / tries, model.period / 2, model.period / 200,
		    "mean rotational latency");
}

static void access_is_seek_then_turn(void)
{
	struct mdisk_head h = {};
	u32 i;

	setup(&defaults);
	for (i = 0; i < 100000; i++) {
		u64 sector = random_below(defaults.sectors - 8);
		struct mdisk_span span = span_at(sector, 8);
		u64 t = random_below(1000 * SEC), from, least, begin;

		from = mdisk_media(&model, random_below(defaults.sectors));
		h.pos = from;
		least = t + mdisk_seek(&model, from / model.period,
				       span.first / model.period);
		begin = mdisk_access(&model, &h, t, &span, true);
		expect(begin >= least && begin - least < model.period,
		       "positioning is not a seek and less than a turn");
	}
}

/* Runs of 512 KiB, each handed over when the one before ends. */
static void sequential_loses_nothing(void)
{
	const u32 nr = 1024;
	u32 write;

	setup(&defaults);
	for (write = 0; write < 2; write++) {
		struct mdisk_head h = {};
		u64 t = serve(&h, 0, 0, nr, write), start = t;
		u32 i;

		for (i = 1; i <= 1000; i++)
			t = serve(&h, t, (u64)i * nr, nr, write);
		expect_near(t - start, mdisk_media(&model, 1001ULL * nr) -
			    mdisk_media(&model, nr), 0, "sequential run");
	}
}

static void late_write_loses_a_turn(void)
{
	const u32 nr = 1024;
	struct mdisk_head h = {};
	u64 t, late = 50 * US, transfer;

	setup(&defaults);
	transfer = mdisk_media(&model, nr);
	t = serve(&h, 0, 0, nr, true);
	expect_near(serve(&h, t + late, nr, nr, true), t + model.period +
		    transfer, 1, "late write");
}

static void late_read_comes_from_the_buffer(void)
{
	const u32 nr = 256;
	struct mdisk_head h = {};
	u64 t, start, late = 200 * US;
	u32 i;

	setup(&defaults);
	start = serve(&h, 0, 0, nr, false);
	t = start;
	for (i = 1; i <= 1000; i++)
		t = serve(&h, t + late, (u64)i * nr, nr, false);
	expect_near(t - start, mdisk_media(&model, 1001ULL * nr) -
		    mdisk_media(&model, nr), 0, "reader with gaps");
}

static void no_readahead_loses_a_turn(void)
{
	struct mdisk_params p = defaults;
	struct mdisk_head h = {};
	u64 t;

	p.readahead_kib = 0;
	setup(&p);
	t = serve(&h, 0, 0, 256, false);
	expect_near(serve(&h, t + 50 * US, 256, 256, false), t + model.period +
		    mdisk_media(&model, 256), 1, "late read");
}

static void readahead_has_an_end(void)
{
	struct mdisk_head h = {};
	u64 t, done, want;

	setup(&defaults);
	t = serve(&h, 0, 0, 256, false);
	/* by now all 512 KiB behind it are there: the interface's rate counts */
	t += SEC;
	done = serve(&h, t, 256, 1024, false);
	want = 1024 * 512 * 10 / 3;
	expect_near(done - t, want, want / 1000, "buffered read");

	/* what lies behind has to be read first, and the platter turns on */
	t = done + SEC;
	done = serve(&h, t, 256 + 1024 + 1024, 256, false);
	expect(done - t >= mdisk_media(&model, 256),
	       "read behind the buffer costs no media time");
}

/* Already read, and the head still going on: only the interface counts. */
static void buffered_while_reading_on(void)
{
	struct mdisk_head h = {};
	u64 t;

	setup(&defaults);
	t = serve(&h, 0, 0, 256, false) + mdisk_media(&model, 512);
	expect_near(serve(&h, t, 256, 256, false), t + 256 * 512 * 10 / 3, 200,
		    "read of what was read ahead");
}

static void write_ends_reading_ahead(void)
{
	const u64 far = defaults.sectors / 2;
	struct mdisk_head h = {};
	u64 t, took;

	setup(&defaults);
	t = serve(&h, 0, 0, 256, false);
	t = serve(&h, t, far, 1024, true);
	took = serve(&h, t, far + 1024, 1024, true) - t;
	expect_near(took, mdisk_media(&model, far + 2048) -
		    mdisk_media(&model, far + 1024), 0, "run of writes");
}

/* The arm is elsewhere, but the buffer remembers; a write there ends that. */
static void buffer_outlives_a_seek(void)
{
	struct mdisk_head h = {};
	u64 t, hit;

	setup(&defaults);
	t = serve(&h, 0, 0, 256, false) + SEC;
	t = serve(&h, t, defaults.sectors / 2, 8, true);
	hit = serve(&h, t, 256, 64, false) - t;
	expect_near(hit, 64 * 512 * 10 / 3, 100, "read from the buffer");
	t = serve(&h, t + hit, 300, 8, true) + 1;
	hit = serve(&h, t, 256, 64, false) - t;
	expect(hit > mdisk_media(&model, 64) + 100 * US,
	       "read of overwritten buffer took %llu ns",
	       (unsigned long long)hit);
}

static void media_read_replaces_the_buffer(void)
{
	struct mdisk_head h = {};
	u64 t, took;

	setup(&defaults);
	t = serve(&h, 0, 0, 256, false) + SEC;
	t = serve(&h, t, defaults.sectors / 2, 8, false) + SEC;
	took = serve(&h, t, 256, 64, false) - t;
	expect(took > MS, "old buffer still hit: %llu ns",
	       (unsigned long long)took);
}

static void random_io_bounds(void)
{
	struct mdisk_head h = {};
	u64 t = 0, worst;
	u32 i;

	setup(&defaults);
	worst = 17 * MS + US + model.period;
	for (i = 0; i < 300000; i++) {
		u32 nr = 1 + random_below(2048);
		u64 sector = random_below(defaults.sectors - nr + 1);
		bool write = random_below(2);
		struct mdisk_span span = span_at(sector, nr);
		u64 begin = mdisk_access(&model, &h, t, &span, write);
		u64 done = mdisk_serve(&model, &h, t, &span, write);

		expect(begin >= t, "begins before its time");
		expect(done >= begin, "ends before it begins");
		expect(done - t <= worst + max(span.end - span.first,
					       span.iface),
		       "takes longer than the mechanics allows");
		t = done + (random_below(4) ? 0 : random_below(20 * MS));
	}
}

static void refuse(const char *what, const struct mdisk_params *p)
{
	const char *why = mdisk_model_init(&model, p);

	expect(why && strstr(why, what), "%s not refused (%s)", what,
	       why ? why : "accepted");
}

#define REFUSE(field, value, what) do {			\
	struct mdisk_params p = defaults;		\
							\
	p.field = value;				\
	refuse(what, &p);				\
} while (0)

static void bad_params(void)
{
	REFUSE(sectors, 2047, "size");
	REFUSE(sectors, BIT_ULL(35) + 1, "size");
	REFUSE(rpm, 59, "rpm");
	REFUSE(rpm, 100001, "rpm");
	REFUSE(zones, 0, "zones");
	REFUSE(zones, 65, "zones");
	REFUSE(rate_outer, 0, "rate_outer");
	REFUSE(rate_outer, 10001, "rate_outer");
	REFUSE(rate_inner, 0, "rate_inner");
	REFUSE(rate_inner, 121, "rate_inner");
	REFUSE(iface_rate, 0, "iface_rate");
	REFUSE(readahead_kib, 65537, "readahead_kib");
	REFUSE(seek_full_us, 1000001, "seek_full_us");
	REFUSE(seek_track_us, 8501, "seek times");
	REFUSE(seek_avg_us, 17001, "seek times");
	REFUSE(seek_avg_us, 3000, "too small");
	REFUSE(seek_avg_us, 16000, "too large");
}

/* The corners of what is accepted, for the sanitizers' sake. */
static void extreme_params(void)
{
	struct mdisk_params p = defaults;
	struct mdisk_head h = {};

	p.sectors = 2048;
	p.zones = 64;
	setup(&p);
	expect(serve(&h, 0, 2040, 8, true) > 0, "smallest disk");

	p.sectors = BIT_ULL(35);
	p.zones = 1;
	p.rate_outer = 10000;
	p.rate_inner = 10000;
	p.rpm = 100000;
	setup(&p);
	expect(serve(&h, ~0ULL / 2, p.sectors - 1, 1, false) > ~0ULL / 2,
	       "largest and fastest disk");

	p.rate_outer = 1;
	p.rate_inner = 1;
	p.rpm = 100000;
	expect(mdisk_model_init(&model, &p), "too many tracks accepted");
	p.rpm = 60;
	setup(&p);
	expect(serve(&h, 0, p.sectors - 8, 8, true) > 0, "slowest disk");
}

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "seek: both ends of the curve", seek_ends },
	{ "seek: never falls, never jumps", seek_monotone },
	{ "seek: mean over all pairs", seek_average },
	{ "zones: rates fall linearly", zone_rates },
	{ "zones: media time grows with the sector", media_monotone },
	{ "rotation: angle and mean latency", rotation },
	{ "access: a seek and less than a turn", access_is_seek_then_turn },
	{ "sequential: queued in time, nothing is lost",
	  sequential_loses_nothing },
	{ "sequential: a late write loses a turn", late_write_loses_a_turn },
	{ "read-ahead: a late read does not",
	  late_read_comes_from_the_buffer },
	{ "read-ahead: unless switched off", no_readahead_loses_a_turn },
	{ "read-ahead: ends where it should", readahead_has_an_end },
	{ "read-ahead: the interface's rate is the limit",
	  buffered_while_reading_on },
	{ "read-ahead: a write ends it", write_ends_reading_ahead },
	{ "buffer: survives a seek, not a write", buffer_outlives_a_seek },
	{ "buffer: replaced by the next read",
	  media_read_replaces_the_buffer },
	{ "random: within the mechanics' bounds", random_io_bounds },
	{ "parameters: nonsense is refused", bad_params },
	{ "parameters: the corners work", extreme_params },
};

int main(void)
{
	const int nr = ARRAY_SIZE(tests);
	int i, bad = 0;

	printf("KTAP version 1\n1..%d\n", nr);
	for (i = 0; i < nr; i++) {
		failed = false;
		tests[i].fn();
		bad += failed;
		printf("%s %d %s\n", failed ? "not ok" : "ok", i + 1,
		       tests[i].name);
	}
	return bad ? 1 : 0;
}
