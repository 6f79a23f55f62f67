// SPDX-License-Identifier: GPL-2.0
/*
 * modeldisk: a RAM-backed block device that takes as long as a rotating disk (or
 * an SSD) would, and knows for whom. The ground truth of experiments on I/O
 * schedulers; see README.rst.
 *
 * This file: the blk-mq device. Takes no locks itself; the list of disks changes
 * at load and unload only.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "modeldisk.h"

#define PARTITIONS	16

static LIST_HEAD(all_disks);
static int major;

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	struct mdisk_cmd *cmd = blk_mq_rq_to_pdu(rq);
	struct mdisk *d = hctx->queue->queuedata;

	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
	case REQ_OP_FLUSH:
		break;
	default:
		return BLK_STS_NOTSUPP;
	}
	blk_mq_start_request(rq);
	cmd->flush = req_op(rq) == REQ_OP_FLUSH;
	cmd->fua = rq->cmd_flags & REQ_FUA;
	cmd->job.write = req_op(rq) == REQ_OP_WRITE;
	cmd->job.writeback = false;
	/* a flush has no position, and some kernels say -1 */
	cmd->job.sector = cmd->flush ? 0 : blk_rq_pos(rq);
	cmd->job.nr = cmd->flush ? 0 : blk_rq_sectors(rq);
	cmd->status = cmd->flush ? BLK_STS_OK : mdisk_store_move(&d->store, rq);
	mdisk_span_init(&d->model, &cmd->job.span, cmd->job.sector,
			cmd->job.nr);
	mdisk_submit(d, cmd);
	return BLK_STS_OK;
}

static void complete_rq(struct request *rq)
{
	struct mdisk_cmd *cmd = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, cmd->status);
}

static const struct blk_mq_ops mq_ops = {
	.queue_rq	= queue_rq,
	.complete	= complete_rq,
};

static const struct block_device_operations disk_fops = {
	.owner		= THIS_MODULE,
};

static int init_tags(struct mdisk *d)
{
	d->tags.ops = &mq_ops;
	d->tags.nr_hw_queues = 1;
	d->tags.queue_depth = d->cfg.depth;
	d->tags.numa_node = NUMA_NO_NODE;
	d->tags.cmd_size = sizeof(struct mdisk_cmd);
	d->tags.flags = MDISK_TAG_FLAGS;
	return blk_mq_alloc_tag_set(&d->tags);
}

static int init_disk(struct mdisk *d, int index)
{
	const struct mdisk_limits limits = {
		.max_sectors = d->cfg.max_sectors,
		.rotational = !d->cfg.ssd,
		.write_cache = d->cfg.cache_sectors,
	};
	int err;

	d->disk = mdisk_alloc_disk(&d->tags, &limits, d);
	if (IS_ERR(d->disk))
		return PTR_ERR(d->disk);
	d->disk->major = major;
	d->disk->first_minor = index * PARTITIONS;
	d->disk->minors = PARTITIONS;
	d->disk->fops = &disk_fops;
	d->disk->private_data = d;
	snprintf(d->disk->disk_name, DISK_NAME_LEN, "modeldisk%d", index);
	set_capacity(d->disk, d->model.sectors);
	err = add_disk(d->disk);
	if (err)
		put_disk(d->disk);
	return err;
}

static void remove_disk(struct mdisk *d)
{
	list_del(&d->node);
	del_gendisk(d->disk);
	put_disk(d->disk);
	blk_mq_free_tag_set(&d->tags);
	mdisk_engine_stop(d);
	mdisk_cache_free(d);
	mdisk_regions_exit(d);
	mdisk_store_free(&d->store);
	kvfree(d);
}

static int create_disk(int index)
{
	struct mdisk *d = kvzalloc(sizeof(*d), GFP_KERNEL);
	int err;

	if (!d)
		return -ENOMEM;
	err = mdisk_apply_params(d);
	if (err)
		goto free;
	mdisk_regions_init(d);
	mdisk_engine_init(d);
	err = mdisk_cache_init(d);
	if (err)
		goto free;
	err = mdisk_store_init(&d->store, d->model.sectors,
			       d->cfg.store_pages);
	if (err)
		goto free_store;
	err = init_tags(d);
	if (err)
		goto free_store;
	err = init_disk(d, index);
	if (err)
		goto free_tags;
	mdisk_debugfs_add(d);
	list_add_tail(&d->node, &all_disks);
	return 0;

free_tags:
	blk_mq_free_tag_set(&d->tags);
free_store:
	mdisk_store_free(&d->store);
	mdisk_cache_free(d);
free:
	kvfree(d);
	return err;
}

static void remove_all(void)
{
	struct mdisk *d, *next;

	mdisk_debugfs_exit();
	list_for_each_entry_safe(d, next, &all_disks, node)
		remove_disk(d);
	unregister_blkdev(major, "modeldisk");
}

static int __init modeldisk_init(void)
{
	int err = mdisk_check_params();
	unsigned int i;

	if (err)
		return err;
	major = register_blkdev(0, "modeldisk");
	if (major < 0)
		return major;
	mdisk_debugfs_init();
	for (i = 0; i < mdisk_disks() && !err; i++)
		err = create_disk(i);
	if (err)
		remove_all();
	return err;
}

static void __exit modeldisk_exit(void)
{
	remove_all();
}

module_init(modeldisk_init);
module_exit(modeldisk_exit);
MODULE_DESCRIPTION("Modelled disk: block device with the timing of a real one");
MODULE_LICENSE("GPL");
