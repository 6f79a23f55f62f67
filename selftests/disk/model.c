// SPDX-License-Identifier: GPL-2.0
/*
 * The mechanics of the modelled disk: zones, seek curve, rotation, read-ahead.
 * What a place on the medium is called is explained in model.h. Takes no locks.
 *
 * Seek curve over a distance of d tracks, x = (d - 1) / (D - 1) of the stroke:
 *
 *	x <= 1/3:  track + root * sqrt(x)	(accelerate, then brake)
 *	x >  1/3:  knee .. full, linear		(coasting at full speed)
 *
 * root is chosen such that the mean over all pairs of tracks (density
 * 2 (1 - x)) is the average seek asked for. Integrating both parts gives
 *
 *	avg = 23/27 track + 4/27 full + 0.3763467 root.
 */
#include "model.h"

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#endif

#define NS_PER_US	1000U
#define ROOT_SHARE	3763467U	/* times 10^-7, see above */
#define ROOT_THIRD	5773503U	/* sqrt(1/3), times 10^-7 */
#define FRACTION_BITS	36		/* of x; its root has half of them */
#define MAX_TRACKS	BIT_ULL(27)	/* so that x << FRACTION_BITS fits */

/* Picoseconds a sector takes at @rate MB/s. */
static u32 sector_ps(u32 rate)
{
	return div_u64(MDISK_SECTOR_SIZE * 1000000ULL, rate);
}

/*
 * Ranges are narrow enough that no later product leaves 64 bits; anything
 * outside is a typing error rather than a disk.
 */
static const char *check_params(const struct mdisk_params *p)
{
	if (p->sectors < 2048 || p->sectors > BIT_ULL(35))
		return "size must be 1 MiB to 16 TiB";
	if (p->rpm < 60 || p->rpm > 100000)
		return "rpm must be 60 to 100000";
	if (!p->zones || p->zones > MDISK_MAX_ZONES)
		return "zones must be 1 to 64";
	if (p->rate_outer < 1 || p->rate_outer > 10000)
		return "rate_outer must be 1 to 10000 MB/s";
	if (p->rate_inner < 1 || p->rate_inner > p->rate_outer)
		return "rate_inner must be 1 MB/s to rate_outer";
	if (p->iface_rate < 1 || p->iface_rate > 100000)
		return "iface_rate must be 1 to 100000 MB/s";
	if (p->readahead_kib > 65536)
		return "readahead_kib must be 0 to 65536";
	if (p->seek_full_us > 1000000)
		return "seek_full_us must be 0 to 1000000";
	if (p->seek_track_us > p->seek_avg_us ||
	    p->seek_avg_us > p->seek_full_us)
		return "seek times must grow from track to avg to full";
	return NULL;
}

static const char *init_zones(struct mdisk_model *m,
			      const struct mdisk_params *p)
{
	u32 drop = p->rate_outer - p->rate_inner;
	u64 sector = 0, media = 0;
	u32 i;

	m->sectors = p->sectors;
	m->zone_sectors = div_u64(p->sectors + p->zones - 1, p->zones);
	for (i = 0; i < p->zones && sector < p->sectors; i++) {
		u64 left = p->sectors - sector;
		u32 rate = p->rate_outer;

		if (p->zones > 1)
			rate -= drop * i / (p->zones - 1);
		m->zone[i].sector = sector;
		m->zone[i].media = media;
		m->zone[i].ps = sector_ps(rate);
		left = min(left, m->zone_sectors);
		media += div_u64(left * m->zone[i].ps, 1000);
		sector += left;
	}
	m->nr_zones = i;
	m->media_end = media;
	m->last_track = div_u64(media, m->period);
	if (m->last_track >= MAX_TRACKS)
		return "too many tracks: raise the rates or lower the size";
	return NULL;
}

static const char *init_seek(struct mdisk_model *m,
			     const struct mdisk_params *p)
{
	u64 track = p->seek_track_us * (u64)NS_PER_US;
	u64 full = p->seek_full_us * (u64)NS_PER_US;
	u64 avg = p->seek_avg_us * (u64)NS_PER_US;
	u64 ends = div_u64(23 * track + 4 * full, 27);
	u64 root, knee;

	if (avg < ends)
		return "seek_avg_us is too small for this track and full seek";
	root = div_u64((avg - ends) * 10000000, ROOT_SHARE);
	knee = track + div_u64(root * ROOT_THIRD, 10000000);
	if (knee > full)
		return "seek_avg_us is too large for this track and full seek";
	m->seek_track = track;
	m->seek_root = root;
	m->seek_knee = knee;
	m->seek_full = full;
	return NULL;
}

/**
 * mdisk_model_init() - derive a disk's constants
 * @m: filled in
 * @p: what the user chose
 *
 * Context: any. Return: NULL, or what is wrong with @p.
 */
const char *mdisk_model_init(struct mdisk_model *m,
			     const struct mdisk_params *p)
{
	const char *why = check_params(p);

	if (why)
		return why;
	m->period = div_u64(60ULL * 1000000000, p->rpm);
	m->readahead = p->readahead_kib * (1024 / MDISK_SECTOR_SIZE);
	m->iface_ps = sector_ps(p->iface_rate);
	why = init_zones(m, p);
	if (why)
		return why;
	return init_seek(m, p);
}

/**
 * mdisk_media() - media time of a sector
 * @m: the disk
 * @sector: a sector, or the disk's end
 *
 * Context: any. Return: nanoseconds of media before @sector; never falls as
 * @sector grows.
 */
u64 mdisk_media(const struct mdisk_model *m, u64 sector)
{
	u32 i = div64_u64(sector, m->zone_sectors);
	const struct mdisk_zone *z;

	if (sector >= m->sectors)
		return m->media_end;
	z = &m->zone[i];
	return z->media + div_u64((sector - z->sector) * z->ps, 1000);
}

/**
 * mdisk_span_init() - describe a command to the mechanics
 * @m: the disk
 * @span: filled in
 * @sector: first sector
 * @nr: number of sectors
 *
 * Context: any.
 */
void mdisk_span_init(const struct mdisk_model *m, struct mdisk_span *span,
		     u64 sector, u32 nr)
{
	span->first = mdisk_media(m, sector);
	span->end = mdisk_media(m, sector + nr);
	span->ahead = mdisk_media(m, sector + nr + m->readahead);
	span->iface = div_u64((u64)nr * m->iface_ps, 1000);
}

/**
 * mdisk_seek() - time to move the arm
 * @m: the disk
 * @from_track: where it is
 * @to_track: where it shall be
 *
 * Context: any. Return: nanoseconds, 0 on the same track.
 */
u64 mdisk_seek(const struct mdisk_model *m, u64 from_track, u64 to_track)
{
	u64 d = from_track < to_track ? to_track - from_track :
					from_track - to_track;
	u64 third = BIT_ULL(FRACTION_BITS) / 3;
	u64 x;

	if (!d)
		return 0;
	if (m->last_track < 2)
		return m->seek_track;
	x = div64_u64((d - 1) << FRACTION_BITS, m->last_track - 1);
	if (x <= third)
		return m->seek_track + ((u64)m->seek_root * int_sqrt64(x) >>
					FRACTION_BITS / 2);
	/* 16 bits fewer, so that the product of nanoseconds and x fits */
	x = (x - third) >> 16;
	return m->seek_knee + ((m->seek_full - m->seek_knee) * x * 3 / 2 >>
			       (FRACTION_BITS - 16));
}

/* How long after @t the platter brings @media under the head. */
static u32 turn_to(const struct mdisk_model *m, u64 media, u64 t)
{
	u32 want, have;

	div_u64_rem(media, m->period, &want);
	div_u64_rem(t, m->period, &have);
	return want >= have ? want - have : want + m->period - have;
}

/* End of what the read buffer holds at @t. */
static u64 buffered(const struct mdisk_head *h, u64 t)
{
	if (!h->ra_on || t <= h->ra_since)
		return h->seg_end;
	return min(h->seg_end + (t - h->ra_since), h->ra_limit);
}

/*
 * A read is served by the buffer if it begins there, and the head either is
 * reading on towards its end or needs not to.
 */
static bool buffer_hit(const struct mdisk_head *h, u64 t,
		       const struct mdisk_span *span)
{
	u64 end = buffered(h, t);

	if (span->first < h->seg_first || span->first > end)
		return false;
	return h->ra_on || span->end <= end;
}

/**
 * mdisk_head_pos() - what is under the head
 * @h: the head
 * @t: now
 *
 * Context: the disk's lock held. Return: a media time.
 */
u64 mdisk_head_pos(const struct mdisk_head *h, u64 t)
{
	return h->ra_on ? buffered(h, t) : h->pos;
}

/**
 * mdisk_access() - when a command's data would begin to move
 * @m: the disk
 * @h: its head
 * @t: when the disk turns to the command
 * @span: the command
 * @write: it is a write
 *
 * Context: the disk's lock held. Return: a time, not before @t.
 */
u64 mdisk_access(const struct mdisk_model *m, const struct mdisk_head *h,
		 u64 t, const struct mdisk_span *span, bool write)
{
	u64 pos = mdisk_head_pos(h, t);

	if (!write && buffer_hit(h, t, span))
		return t;
	t += mdisk_seek(m, div_u64(pos, m->period),
			div_u64(span->first, m->period));
	return t + turn_to(m, span->first, t);
}

/* Read on up to @limit; a head that had stopped waits for its place to return. */
static void read_on(const struct mdisk_model *m, struct mdisk_head *h, u64 t,
		    u64 limit)
{
	u64 end = buffered(h, t);

	if (end == h->ra_limit) {
		h->seg_end = end;
		h->ra_since = t + turn_to(m, end, t);
	}
	h->ra_limit = max(limit, end);
}

static u64 serve_hit(const struct mdisk_model *m, struct mdisk_head *h, u64 t,
		     const struct mdisk_span *span)
{
	u64 done = t + span->iface;

	if (!h->ra_on)
		return done;
	read_on(m, h, t, span->ahead);
	h->seg_first = span->first;
	if (span->end > h->seg_end)
		done = max(done, h->ra_since + span->end - h->seg_end);
	return done;
}

/**
 * mdisk_serve() - serve a command
 * @m: the disk
 * @h: its head, moved
 * @t: when the disk turns to the command
 * @span: the command
 * @write: it is a write
 *
 * Context: the disk's lock held. Return: when the command is done.
 */
u64 mdisk_serve(const struct mdisk_model *m, struct mdisk_head *h,
		u64 t, const struct mdisk_span *span, bool write)
{
	u64 done;

	if (!write && buffer_hit(h, t, span))
		return serve_hit(m, h, t, span);

	done = mdisk_access(m, h, t, span, write) + span->end - span->first;
	h->seg_end = buffered(h, t);
	h->ra_on = false;
	h->pos = span->end;
	if (!write) {
		h->seg_first = span->first;
		h->seg_end = span->end;
		h->ra_since = done;
		h->ra_limit = span->ahead;
		h->ra_on = true;
	} else if (span->first < h->seg_end && span->end > h->seg_first) {
		h->seg_first = h->seg_end;
	}
	return done;
}
