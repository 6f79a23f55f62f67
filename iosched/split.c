// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of bios: a bio larger than a request is split, and the core marks the
 * pieces as not mergeable, since merging them with each other is no use.  But
 * what is not mergeable is not shown to bio_merge(), so it could not be staged,
 * and most of a flusher's bios are such pieces.  So the mark is taken off again
 * where the core reports the split.
 *
 * Locking: none.  The probe runs in the task that submits the bio.
 */
#include <linux/tracepoint.h>

#include "cfqx.h"

static struct tracepoint *block_split;

static void on_split(void *data, struct bio *bio, unsigned int new_sector)
{
	struct request_queue *q = bdev_get_queue(bio->bi_bdev);

	/* The submitter has entered a queue of requests before it splits. */
	if (queue_is_mq(q) && cfqx_is_elevator_of(q))
		bio->bi_opf &= ~REQ_NOMERGE;
}

static void find_split(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "block_split"))
		*(struct tracepoint **)found = tp;
}

/**
 * cfqx_split_init - be told of splits
 *
 * Return: 0 or a negative error.
 */
int __init cfqx_split_init(void)
{
	for_each_kernel_tracepoint(find_split, &block_split);
	if (!block_split) {
		pr_err("cfqx: this kernel has no block_split tracepoint\n");
		return -ENOENT;
	}
	return tracepoint_probe_register(block_split, on_split, NULL);
}

/**
 * cfqx_split_exit - be told of no more splits
 */
void cfqx_split_exit(void)
{
	tracepoint_probe_unregister(block_split, on_split, NULL);
	tracepoint_synchronize_unregister();
}
