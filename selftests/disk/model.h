/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mechanics of the modelled disk as pure arithmetic: no kernel interface,
 * no state but what the caller hands in. Also compiled in userspace by the unit
 * test. Takes no locks; a struct mdisk_head belongs to whoever holds the lock of
 * the disk it is part of.
 *
 * Everything is measured in nanoseconds. The medium is one spiral track, and a
 * place on it is named by its *media time*: how long the head needs to pass over
 * everything from sector 0 up to there. Hence
 *
 *	transfer time of [a, b)	= media(b) - media(a)
 *	track			= media / period
 *	angle			= media % period
 *
 * and the platter's angle at time t is t % period. A sequential stream therefore
 * runs at exactly the zone's rate and crosses tracks and zones without a seek.
 */
#ifndef MODELDISK_MODEL_H
#define MODELDISK_MODEL_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "test/port.h"
#endif

#define MDISK_MAX_ZONES		64
#define MDISK_SECTOR_SIZE	512

/**
 * struct mdisk_params - what a user may choose about the mechanics
 * @sectors: capacity in 512-byte sectors
 * @rpm: revolutions a minute
 * @zones: number of zones, of equal capacity
 * @rate_outer: transfer rate of the first zone, MB/s (10^6)
 * @rate_inner: transfer rate of the last zone, MB/s
 * @seek_track_us: seek to the next track
 * @seek_avg_us: mean seek over all pairs of tracks
 * @seek_full_us: seek over the whole stroke
 * @readahead_kib: how far reading goes on behind the last read
 * @iface_rate: rate between host and the disk's buffer, MB/s
 */
struct mdisk_params {
	u64 sectors;
	u32 rpm;
	u32 zones;
	u32 rate_outer;
	u32 rate_inner;
	u32 seek_track_us;
	u32 seek_avg_us;
	u32 seek_full_us;
	u32 readahead_kib;
	u32 iface_rate;
};

/**
 * struct mdisk_zone - a range of sectors of one rate
 * @media: media time of its first sector
 * @sector: its first sector
 * @ps: picoseconds a sector takes
 */
struct mdisk_zone {
	u64 media;
	u64 sector;
	u32 ps;
};

/**
 * struct mdisk_model - the derived constants of one disk
 * @sectors: capacity
 * @zone_sectors: capacity of each zone but the last
 * @media_end: media time of the end of the disk
 * @last_track: number of the innermost track
 * @period: one revolution
 * @nr_zones: number of zones in use
 * @seek_track: shortest seek
 * @seek_root: factor of the square root part of the seek curve
 * @seek_knee: seek over a third of the stroke, where the linear part begins
 * @seek_full: longest seek
 * @readahead: sectors read ahead
 * @iface_ps: picoseconds a sector takes on the interface
 * @zone: the zones
 */
struct mdisk_model {
	u64 sectors;
	u64 zone_sectors;
	u64 media_end;
	u64 last_track;
	u32 period;
	u32 nr_zones;
	u32 seek_track;
	u32 seek_root;
	u32 seek_knee;
	u32 seek_full;
	u32 readahead;
	u32 iface_ps;
	struct mdisk_zone zone[MDISK_MAX_ZONES];
};

/**
 * struct mdisk_span - a command as the mechanics sees it
 * @first: media time of its first sector
 * @end: media time of the sector behind its last
 * @ahead: media time up to which reading may go on after it
 * @iface: time its data takes on the interface
 */
struct mdisk_span {
	u64 first;
	u64 end;
	u64 ahead;
	u64 iface;
};

/**
 * struct mdisk_head - where the head is and what the buffer holds
 * @pos: media time under the head while it does not read ahead
 * @seg_first: first media time in the read buffer
 * @seg_end: end of the read buffer at @ra_since
 * @ra_since: when the head is (or was) over @seg_end, reading on from there
 * @ra_limit: where reading ahead stops
 * @ra_on: the head is reading ahead, or waits at @ra_limit
 */
struct mdisk_head {
	u64 pos;
	u64 seg_first;
	u64 seg_end;
	u64 ra_since;
	u64 ra_limit;
	bool ra_on;
};

const char *mdisk_model_init(struct mdisk_model *m,
			     const struct mdisk_params *p);
u64 mdisk_media(const struct mdisk_model *m, u64 sector);
void mdisk_span_init(const struct mdisk_model *m, struct mdisk_span *span,
		     u64 sector, u32 nr);
u64 mdisk_seek(const struct mdisk_model *m, u64 from_track, u64 to_track);
u64 mdisk_head_pos(const struct mdisk_head *h, u64 t);
u64 mdisk_access(const struct mdisk_model *m, const struct mdisk_head *h,
		 u64 t, const struct mdisk_span *span, bool write);
u64 mdisk_serve(const struct mdisk_model *m, struct mdisk_head *h,
		u64 t, const struct mdisk_span *span, bool write);

#endif
