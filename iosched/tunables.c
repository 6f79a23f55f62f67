// SPDX-License-Identifier: GPL-2.0
/*
 * Tunables: /sys/block/X/queue/iosched/.  Times are in milliseconds, or in
 * microseconds in the file of the same name that ends in _us.  A value out of
 * range is refused with EINVAL and changes nothing.
 *
 * Locking: the core's sysfs lock; a tunable is one word, read by the scheduler
 * as it is.
 */
#include "cfqx.h"

#define MS	NSEC_PER_MSEC
#define US	NSEC_PER_USEC

/*
 * What the slices of all levels weigh: milliseconds, finer where both are so
 * short that levels would not differ any more.
 */
static void set_weights(struct cfqx_tunables *t)
{
	u64 longer = max(t->slice_sync, t->slice_async);
	u64 unit = min_t(u64, div_u64(longer, 100), MS);
	u64 slice[CFQX_NR_LEVELS];
	unsigned int sync, level;

	for (sync = 0; sync < 2; sync++) {
		cfqx_level_slices(sync ? t->slice_sync : t->slice_async,
				  U64_MAX, slice);
		for (level = 0; level < CFQX_NR_LEVELS; level++)
			WRITE_ONCE(t->weight[sync][level],
				   clamp_t(u64, div64_u64(slice[level], unit),
					   1, CFQX_WEIGHT_SCALE));
	}
}

/*
 * A group's turn is two and a half slices of what it is served, or more: long
 * enough that a group of little weight, which pays for as many seeks as a heavy
 * one, still gets its part of the bytes.
 */
static void set_turns(struct cfqx_data *cfqd)
{
	struct cfqx_tunables *t = &cfqd->tunables;
	u64 longest = t->low_latency ? t->target_latency : U64_MAX;

	cfqx_level_slices(t->slice_sync, longest, t->slice[true]);
	cfqx_level_slices(t->slice_async, U64_MAX, t->slice[false]);
	cfqx_level_slices(t->slice_sync * 5 / 2, longest, t->stream);
	WRITE_ONCE(t->newcomer, min(t->slice_sync, longest) / 4);
	WRITE_ONCE(t->turn, min(t->slice_sync * 5 / 2, longest));
	WRITE_ONCE(t->turn_async, t->slice_async * 5 / 2);
	WRITE_ONCE(t->turn_async_max, t->slice_async * 9);
	WRITE_ONCE(t->lag_async, t->slice_async * 15 / 4);
	WRITE_ONCE(t->period_async, t->slice_async * 20);
	set_weights(t);
}

/**
 * cfqx_tunables_init - the defaults
 * @cfqd: the device
 */
void cfqx_tunables_init(struct cfqx_data *cfqd)
{
	cfqd->tunables = (struct cfqx_tunables) {
		.slice_sync	= 100 * NSEC_PER_MSEC,
		.slice_async	= 40 * NSEC_PER_MSEC,
		.slice_idle	= cfqd->clock.shared ? 0 : 8 * NSEC_PER_MSEC,
		.group_idle	= cfqd->clock.shared ? 0 : 8 * NSEC_PER_MSEC,
		.fifo_expire	= { 250 * NSEC_PER_MSEC, 125 * NSEC_PER_MSEC },
		.slice_async_rq	= 2,
		.back_seek_max	= 16384,
		.back_seek_penalty = 2,
		.quantum	= 8,
		.group_isolation = 1,
		.low_latency	= 1,
		.target_latency	= 300 * NSEC_PER_MSEC,
	};
	set_turns(cfqd);
}

static ssize_t show_number(char *page, u64 value)
{
	return sysfs_emit(page, "%llu\n", value);
}

/* A decimal number and nothing else, but for a newline at its end. */
static ssize_t store_number(const char *page, size_t count, u64 min, u64 max,
			    u64 *value)
{
	u64 number;

	if (kstrtou64(page, 10, &number) || number < min || number > max)
		return -EINVAL;
	*value = number;
	return count;
}

static ssize_t store_time(struct cfqx_data *cfqd, const char *page,
			  size_t count, u64 min, u64 max, u64 unit, u64 *field)
{
	u64 number;
	ssize_t ret = store_number(page, count, min, max, &number);

	if (ret < 0)
		return ret;
	WRITE_ONCE(*field, number * unit);
	set_turns(cfqd);
	return ret;
}

/* A time, in a file of this unit; rounded down when read. */
#define TIME_TUNABLE(name, field, unit, min, max)			\
static ssize_t name##_show(struct elevator_queue *e, char *page)	\
{									\
	struct cfqx_data *cfqd = e->elevator_data;			\
									\
	return show_number(page, div_u64(cfqd->tunables.field, unit));	\
}									\
static ssize_t name##_store(struct elevator_queue *e, const char *page,	\
			    size_t count)				\
{									\
	struct cfqx_data *cfqd = e->elevator_data;			\
									\
	return store_time(cfqd, page, count, min, max, unit,		\
			  &cfqd->tunables.field);			\
}

/* A plain number. */
#define NUMBER_TUNABLE(name, min, max)					\
static ssize_t name##_show(struct elevator_queue *e, char *page)	\
{									\
	struct cfqx_data *cfqd = e->elevator_data;			\
									\
	return show_number(page, cfqd->tunables.name);			\
}									\
static ssize_t name##_store(struct elevator_queue *e, const char *page,	\
			    size_t count)				\
{									\
	struct cfqx_data *cfqd = e->elevator_data;			\
	ssize_t ret;							\
	u64 number;							\
									\
	ret = store_number(page, count, min, max, &number);		\
	if (ret > 0) {							\
		WRITE_ONCE(cfqd->tunables.name, number);		\
		set_turns(cfqd);					\
	}								\
	return ret;							\
}

TIME_TUNABLE(slice_sync, slice_sync, MS, 1, 10000)
TIME_TUNABLE(slice_sync_us, slice_sync, US, 100, 10000000)
TIME_TUNABLE(slice_async, slice_async, MS, 1, 10000)
TIME_TUNABLE(slice_async_us, slice_async, US, 100, 10000000)
TIME_TUNABLE(slice_idle, slice_idle, MS, 0, 1000)
TIME_TUNABLE(slice_idle_us, slice_idle, US, 0, 1000000)
TIME_TUNABLE(group_idle, group_idle, MS, 0, 1000)
TIME_TUNABLE(group_idle_us, group_idle, US, 0, 1000000)
TIME_TUNABLE(fifo_expire_async, fifo_expire[0], MS, 1, 60000)
TIME_TUNABLE(fifo_expire_sync, fifo_expire[1], MS, 1, 60000)
NUMBER_TUNABLE(slice_async_rq, 1, 1024)
NUMBER_TUNABLE(back_seek_max, 0, 1024 * 1024 * 1024)
NUMBER_TUNABLE(back_seek_penalty, 1, 1024)
NUMBER_TUNABLE(quantum, 1, 1024)
NUMBER_TUNABLE(group_isolation, 0, 1)
NUMBER_TUNABLE(low_latency, 0, 1)
TIME_TUNABLE(target_latency, target_latency, MS, 1, 10000)
TIME_TUNABLE(target_latency_us, target_latency, US, 1000, 10000000)

#undef TIME_TUNABLE
#undef NUMBER_TUNABLE

#define ATTR(name)	__ATTR(name, 0644, name##_show, name##_store)

#ifdef CFQX_CONST_elevator_type__elevator_attrs
const
#endif
struct elv_fs_entry cfqx_attrs[] = {
	ATTR(slice_sync),
	ATTR(slice_sync_us),
	ATTR(slice_async),
	ATTR(slice_async_us),
	ATTR(slice_idle),
	ATTR(slice_idle_us),
	ATTR(group_idle),
	ATTR(group_idle_us),
	ATTR(fifo_expire_sync),
	ATTR(fifo_expire_async),
	ATTR(slice_async_rq),
	ATTR(back_seek_max),
	ATTR(back_seek_penalty),
	ATTR(quantum),
	ATTR(group_isolation),
	ATTR(low_latency),
	ATTR(target_latency),
	ATTR(target_latency_us),
	{ }
};
