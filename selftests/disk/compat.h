/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels modeldisk is built for, in the shape of the
 * newest. Kbuild finds out which form a kernel has. Takes no locks.
 */
#ifndef MODELDISK_COMPAT_H
#define MODELDISK_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>

/* v6.13: hrtimer_setup() took over from hrtimer_init() and an assignment. */
#ifndef MDISK_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* v6.14: merging is no longer something a driver asks for. */
#ifdef MDISK_HAVE_SHOULD_MERGE
#define MDISK_TAG_FLAGS		BLK_MQ_F_SHOULD_MERGE
#else
#define MDISK_TAG_FLAGS		0
#endif

/**
 * struct mdisk_limits - the queue limits modeldisk sets
 * @max_sectors: largest request
 * @rotational: seeks cost time
 * @write_cache: there is a volatile write cache; flush and FUA are honoured
 */
struct mdisk_limits {
	u32 max_sectors;
	bool rotational;
	bool write_cache;
};

#ifdef MDISK_HAVE_FEATURES
/* v6.11: features are queue limits, handed over when the disk is allocated. */
static inline struct gendisk *mdisk_alloc_disk(struct blk_mq_tag_set *set,
					       const struct mdisk_limits *l,
					       void *data)
{
	struct queue_limits lim = {
		.logical_block_size = 512,
		.physical_block_size = 512,
		.max_hw_sectors = l->max_sectors,
	};

	if (l->rotational)
		lim.features |= BLK_FEAT_ROTATIONAL;
	if (l->write_cache)
		lim.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	return blk_mq_alloc_disk(set, &lim, data);
}
#else
static inline struct gendisk *mdisk_alloc_disk(struct blk_mq_tag_set *set,
					       const struct mdisk_limits *l,
					       void *data)
{
	struct gendisk *disk = blk_mq_alloc_disk(set, data);

	if (IS_ERR(disk))
		return disk;
	blk_queue_logical_block_size(disk->queue, 512);
	blk_queue_physical_block_size(disk->queue, 512);
	blk_queue_max_hw_sectors(disk->queue, l->max_sectors);
	if (!l->rotational)
		blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
	if (l->write_cache)
		blk_queue_write_cache(disk->queue, true, true);
	return disk;
}
#endif

#endif
