// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of modeldisk: their defaults, their bounds, and what becomes of
 * them. Refuses rather than corrects: an experiment on another disk than the one
 * asked for is worse than none. Takes no locks.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/math64.h>
#include <linux/module.h>

#include "modeldisk.h"

#define MAX_DISKS	16

static unsigned int disks = 1;
module_param(disks, uint, 0444);
MODULE_PARM_DESC(disks, "number of disks, all alike (default 1)");

static unsigned int size_mib = 65536;
module_param(size_mib, uint, 0444);
MODULE_PARM_DESC(size_mib, "capacity, MiB (default 65536)");

static unsigned int depth = 32;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "commands the device takes (default 32)");

static unsigned int max_kib = 512;
module_param(max_kib, uint, 0444);
MODULE_PARM_DESC(max_kib, "largest request, KiB (default 512)");

static unsigned int rpm = 7200;
module_param(rpm, uint, 0444);
MODULE_PARM_DESC(rpm, "revolutions a minute (default 7200)");

static unsigned int zones = 16;
module_param(zones, uint, 0444);
MODULE_PARM_DESC(zones, "zones of equal capacity (default 16)");

static unsigned int rate_outer = 120;
module_param(rate_outer, uint, 0444);
MODULE_PARM_DESC(rate_outer, "rate of the first zone, MB/s (default 120)");

static unsigned int rate_inner = 60;
module_param(rate_inner, uint, 0444);
MODULE_PARM_DESC(rate_inner, "rate of the last zone, MB/s (default 60)");

static unsigned int seek_track_us = 800;
module_param(seek_track_us, uint, 0444);
MODULE_PARM_DESC(seek_track_us, "seek to the next track, us (default 800)");

static unsigned int seek_avg_us = 8500;
module_param(seek_avg_us, uint, 0444);
MODULE_PARM_DESC(seek_avg_us, "mean seek, us (default 8500)");

static unsigned int seek_full_us = 17000;
module_param(seek_full_us, uint, 0444);
MODULE_PARM_DESC(seek_full_us, "seek over the whole stroke, us (default 17000)");

static unsigned int overhead_us = 100;
module_param(overhead_us, uint, 0444);
MODULE_PARM_DESC(overhead_us, "to decode a command, us (default 100)");

static unsigned int readahead_kib = 512;
module_param(readahead_kib, uint, 0444);
MODULE_PARM_DESC(readahead_kib, "read-ahead of the disk's buffer, KiB (default 512)");

static unsigned int iface_rate = 300;
module_param(iface_rate, uint, 0444);
MODULE_PARM_DESC(iface_rate, "rate of the interface, MB/s (default 300)");

static unsigned int cache_kib;
module_param(cache_kib, uint, 0444);
MODULE_PARM_DESC(cache_kib, "volatile write cache, KiB (default 0: none)");

static unsigned int store_mib;
module_param(store_mib, uint, 0444);
MODULE_PARM_DESC(store_mib, "memory for data that is not zero, MiB (default 0: no limit)");

static unsigned int reorder = 1;
module_param(reorder, uint, 0444);
MODULE_PARM_DESC(reorder, "the device chooses its own order (default 1)");

static unsigned int age_ms = 500;
module_param(age_ms, uint, 0444);
MODULE_PARM_DESC(age_ms, "a command older than this goes first, ms (default 500)");

static unsigned int ssd;
module_param(ssd, uint, 0444);
MODULE_PARM_DESC(ssd, "an SSD instead of a rotating disk (default 0)");

static unsigned int ssd_channels = 8;
module_param(ssd_channels, uint, 0444);
MODULE_PARM_DESC(ssd_channels, "commands an SSD serves at a time (default 8)");

static unsigned int ssd_read_us = 80;
module_param(ssd_read_us, uint, 0444);
MODULE_PARM_DESC(ssd_read_us, "latency of a read, us (default 80)");

static unsigned int ssd_write_us = 30;
module_param(ssd_write_us, uint, 0444);
MODULE_PARM_DESC(ssd_write_us, "latency of a write, us (default 30)");

static unsigned int ssd_rate = 200;
module_param(ssd_rate, uint, 0444);
MODULE_PARM_DESC(ssd_rate, "rate of one channel, MB/s (default 200)");

static const struct {
	const char *name;
	const unsigned int *value;
	unsigned int min;
	unsigned int max;
} ranges[] = {
	{ "disks",	  &disks,	  1, MAX_DISKS },
	{ "size_mib",	  &size_mib,	  1, BIT(24) },
	{ "depth",	  &depth,	  1, 256 },
	{ "max_kib",	  &max_kib,	  4, 4096 },
	{ "overhead_us",  &overhead_us,	  0, 100000 },
	{ "cache_kib",	  &cache_kib,	  0, BIT(20) },
	{ "store_mib",	  &store_mib,	  0, BIT(24) },
	{ "reorder",	  &reorder,	  0, 1 },
	{ "age_ms",	  &age_ms,	  1, 5000 },
	{ "ssd",	  &ssd,		  0, 1 },
	{ "ssd_channels", &ssd_channels,  1, MDISK_MAX_CHANNELS },
	{ "ssd_read_us",  &ssd_read_us,	  1, 1000000 },
	{ "ssd_write_us", &ssd_write_us,  1, 1000000 },
	{ "ssd_rate",	  &ssd_rate,	  1, 100000 },
};

/**
 * mdisk_disks() - number of disks asked for
 *
 * Context: any.
 */
unsigned int mdisk_disks(void)
{
	return disks;
}

/**
 * mdisk_check_params() - are the parameters in bounds
 *
 * Those of the mechanics are checked when a disk is derived from them.
 *
 * Context: process. Return: 0 or -EINVAL, having said what is wrong.
 */
int mdisk_check_params(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		unsigned int v = *ranges[i].value;

		if (v >= ranges[i].min && v <= ranges[i].max)
			continue;
		pr_err("%s=%u refused: must be %u to %u\n", ranges[i].name, v,
		       ranges[i].min, ranges[i].max);
		return -EINVAL;
	}
	if (ssd && cache_kib) {
		pr_err("cache_kib=%u refused: ssd=1 has no write cache\n",
		       cache_kib);
		return -EINVAL;
	}
	return 0;
}

/**
 * mdisk_apply_params() - derive a disk's constants from the parameters
 * @d: its cfg and model are set
 *
 * Context: process. Return: 0 or -EINVAL, having said what is wrong.
 */
int mdisk_apply_params(struct mdisk *d)
{
	const struct mdisk_params params = {
		.sectors	= (u64)size_mib << (20 - SECTOR_SHIFT),
		.rpm		= rpm,
		.zones		= zones,
		.rate_outer	= rate_outer,
		.rate_inner	= rate_inner,
		.seek_track_us	= seek_track_us,
		.seek_avg_us	= seek_avg_us,
		.seek_full_us	= seek_full_us,
		.readahead_kib	= readahead_kib,
		.iface_rate	= iface_rate,
	};
	const char *why = mdisk_model_init(&d->model, &params);

	if (why) {
		pr_err("parameters refused: %s\n", why);
		return -EINVAL;
	}
	d->cfg.depth = depth;
	d->cfg.reorder = reorder;
	d->cfg.age_ns = age_ms * (u64)NSEC_PER_MSEC;
	d->cfg.overhead_ns = overhead_us * (u64)NSEC_PER_USEC;
	d->cfg.max_sectors = max_kib << (10 - SECTOR_SHIFT);
	d->cfg.cache_sectors = cache_kib << (10 - SECTOR_SHIFT);
	d->cfg.store_pages = (u64)store_mib << (20 - PAGE_SHIFT);
	d->cfg.ssd = ssd;
	d->cfg.channels = ssd_channels;
	d->cfg.ssd_read_ns = ssd_read_us * (u64)NSEC_PER_USEC;
	d->cfg.ssd_write_ns = ssd_write_us * (u64)NSEC_PER_USEC;
	d->cfg.ssd_ps = div_u64(SECTOR_SIZE * 1000000ULL, ssd_rate);
	return 0;
}
