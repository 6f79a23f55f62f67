// SPDX-License-Identifier: GPL-2.0
/*
 * The journal and metadata: what counts as that, who pays for it (writers.c),
 * and what it does to the order of service.
 *
 * Locking: cfqx_data.lock, but for the timer, which takes it.
 */
#include <linux/pagemap.h>

#include "cfqx.h"

/* How long (ns) a disk that seeks waits for what follows a journal write. */
#define JOURNAL_WAIT		NSEC_PER_MSEC

/* ext4 commits every 5 s; a partition may become another file system's. */
#define JOURNAL_THREAD_SEEN	(30 * NSEC_PER_SEC)

/**
 * cfqx_writeback_inode - whose pages a bio writes back
 * @bio: the bio
 *
 * Return: the inode, NULL if it is no write-back of an inode's pages.
 */
struct inode *cfqx_writeback_inode(struct bio *bio)
{
	struct address_space *mapping;
	struct folio *folio;

	if (!bio_has_data(bio))
		return NULL;
	folio = page_folio(bio_page(bio));
	/* While it is under write-back it stays in its mapping. */
	if (!folio_test_writeback(folio))
		return NULL;
	mapping = READ_ONCE(folio->mapping);
	if (!mapping || ((unsigned long)mapping & PAGE_MAPPING_FLAGS))
		return NULL;
	return mapping->host;
}

/* Pages of a block device that are being written back: file system metadata. */
static bool is_metadata_writeback(struct bio *bio)
{
	struct inode *inode = cfqx_writeback_inode(bio);

	return inode && S_ISBLK(inode->i_mode);
}

/**
 * cfqx_is_journal_thread - does the running task write an ext4 journal
 */
bool cfqx_is_journal_thread(void)
{
	return (current->flags & PF_KTHREAD) &&
	       !strncmp(current->comm, "jbd2/", 5);
}

/**
 * cfqx_writers_pay - is a request caused by the writers of its partition
 * @cfqd: the device
 * @group: whose request it is
 * @rq: the request
 *
 * The journal, metadata, and file data that the journal thread writes so that a
 * commit can end.  Kernel threads of the root group write it, or (XFS) the task
 * whose fsync happens to come first.
 *
 * Context: cfqd->lock held, in the task that submits @rq.
 */
bool cfqx_writers_pay(struct cfqx_data *cfqd, struct cfqx_group *group,
		      struct request *rq)
{
	if (req_op(rq) != REQ_OP_WRITE)
		return false;
	if (rq->cmd_flags & (REQ_META | REQ_PRIO))
		return group == cfqd->root || op_is_sync(rq->cmd_flags);
	return group == cfqd->root &&
	       (cfqx_is_journal_thread() || is_metadata_writeback(rq->bio));
}

/**
 * cfqx_note_writer - a group writes data
 * @cfqd: the device
 * @group: the group
 * @rq: a request of its own
 *
 * Context: cfqd->lock held.
 */
void cfqx_note_writer(struct cfqx_data *cfqd, struct cfqx_group *group,
		      struct request *rq)
{
	if (req_op(rq) == REQ_OP_WRITE && !group->offline)
		cfqx_writers_note(&cfqd->partitions, rq->bio->bi_bdev, group,
				  blk_rq_bytes(rq));
}

/**
 * cfqx_note_waiter - a write goes to the driver that nothing follows at once
 * @cfqd: the device
 * @queue: its queue (see cfqx_queue.closing)
 * @rq: the request
 * @now: current time (ns)
 *
 * If it is a group's own it is the data of an fsync, or of a file opened with
 * O_SYNC: a commit is next.
 *
 * Context: cfqd->lock held.
 */
void cfqx_note_waiter(struct cfqx_data *cfqd, struct cfqx_queue *queue,
		      struct request *rq, u64 now)
{
	struct cfqx_group *group = queue->group;

	queue->waits_on = NULL;
	if (!rq->bio || group->offline || cfqx_rq_test(rq, CFQX_RQ_WRITERS_PAY))
		return;
	queue->waits_on = cfqx_writers_wait(&cfqd->partitions, rq->bio->bi_bdev,
					    group, now);
	group->waiter = queue;
}

static bool has_journal_thread(const struct cfqx_partition *partition, u64 now)
{
	return partition->thread_time &&
	       now - partition->thread_time < JOURNAL_THREAD_SEEN;
}

/*
 * Is a sync write to the journal or of metadata part of a commit?  Where a thread
 * writes the journal, what others write is metadata.  Where tasks do, it is most
 * likely the one that does who waits, if nobody else is known to.
 */
static bool note_commit(struct cfqx_data *cfqd, struct cfqx_group *group,
			struct request *rq, u64 now)
{
	bool busy = cfqx_journal_busy(cfqd);
	struct cfqx_partitions *table = &cfqd->partitions;
	struct block_device *bdev = rq->bio->bi_bdev;
	struct cfqx_partition *partition = cfqx_partition_find(table, bdev);

	if (cfqx_is_journal_thread()) {
		if (partition)
			partition->thread_time = now;
	} else if (partition && has_journal_thread(partition, now)) {
		return false;
	} else if (group != cfqd->root && !group->offline &&
		   !(partition && cfqx_writers_waiting(partition))) {
		cfqx_writers_wait(table, bdev, group, now);
		partition = cfqx_partition_find(table, bdev);
	}
	if (partition)
		cfqx_writers_commit(partition, now, busy);
	return partition;
}

/**
 * cfqx_journal_queue - which queue serves what writers pay for
 * @cfqd: the device
 * @group: whose request it is
 * @rq: the request, see cfqx_writers_pay()
 * @now: current time (ns)
 *
 * From now on @rq carries the partition.
 *
 * Context: cfqd->lock held, in the task that submits @rq.
 * Return: the queue; no reference is taken.
 */
struct cfqx_queue *cfqx_journal_queue(struct cfqx_data *cfqd,
				      struct cfqx_group *group,
				      struct request *rq, u64 now)
{
	bool sync = op_is_sync(rq->cmd_flags);
	bool commit = sync && note_commit(cfqd, group, rq, now);
	struct cfqx_partition *partition;

	partition = cfqx_partition_find(&cfqd->partitions, rq->bio->bi_bdev);
	rq->elv.priv[1] = NULL;
	if (partition) {
		cfqx_rq_carry(rq, partition - cfqd->partitions.partition,
			      commit);
		cfqx_rq_set(rq, CFQX_RQ_WRITERS_PAY);
	}
	return sync ? &cfqd->journal : &group->async;
}

/* One group pays; for its own commit, the queue that waits for it. */
static void charge_writer(struct cfqx_data *cfqd, struct cfqx_group *group,
			  bool own, u64 ns)
{
	if (own && group->waiter)
		cfqx_queue_charge(cfqd, group->waiter, ns);
	else
		cfqx_group_charge(group, &group->async.entity, ns);
}

/**
 * cfqx_charge_writers - divide time among the writers of a partition
 * @cfqd: the device
 * @partition: where, NULL if that is not known: the root group pays
 * @commit: it is a commit's time: those who forced it pay
 * @ns: device time
 *
 * Context: cfqd->lock held.
 */
void cfqx_charge_writers(struct cfqx_data *cfqd,
			 struct cfqx_partition *partition, bool commit, u64 ns)
{
	bool charged = false;
	unsigned int i;

	for (i = 0; partition && i < CFQX_NR_WRITERS; i++) {
		struct cfqx_group *group = partition->writer[i].group;
		u64 part;

		if (commit)
			part = cfqx_writer_part_of_commit(partition, i, ns);
		else
			part = cfqx_writer_part(partition, i, ns);
		if (!part)
			continue;
		charged = true;
		cfqx_trace_group(cfqd, group, "charge=%llu of=%llu %s", part,
				 ns, commit ? "commit" : "metadata");
		charge_writer(cfqd, group,
			      commit && partition->writer[i].forced, part);
	}
	if (charged)
		return;
	cfqx_trace_group(cfqd, cfqd->root, "charge=%llu of=%llu nobody known",
			 ns, ns);
	cfqx_group_charge(cfqd->root, &cfqd->root->async.entity, ns);
}

/**
 * cfqx_journal_busy - is there a write to the journal that has not ended
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 */
bool cfqx_journal_busy(const struct cfqx_data *cfqd)
{
	return cfqd->journal.nr_queued || cfqd->journal.in_driver;
}

/**
 * cfqx_journal_sent - a write to the journal goes to the driver
 * @cfqd: the device
 * @rq: the write
 *
 * A commit is a few writes, then a record that they are written, next to them.
 * Between the two the disk would seek to somebody's data and back.  So while a
 * write to the journal is under way, and a moment longer, nothing else is sent.
 * Where the tasks write the journal themselves a commit is one write.
 *
 * Context: cfqd->lock held.
 */
void cfqx_journal_sent(struct cfqx_data *cfqd, struct request *rq)
{
	struct cfqx_partition *partition = cfqx_rq_partition(cfqd, rq);

	if (cfqd->clock.shared || !partition || !cfqx_rq_is_commit(rq) ||
	    !has_journal_thread(partition, partition->commit_time))
		return;
	cfqd->journal_hold = true;
	hrtimer_try_to_cancel(&cfqd->journal_timer);
}

/**
 * cfqx_journal_ended - a write to the journal is done, or given back
 * @cfqd: the device
 * @partition: where, NULL if that is not known
 * @now: current time (ns)
 *
 * Context: cfqd->lock held.
 */
void cfqx_journal_ended(struct cfqx_data *cfqd,
			struct cfqx_partition *partition, u64 now)
{
	if (partition)
		partition->commit_time = now;
	if (cfqd->journal_hold && !cfqd->journal.in_driver)
		hrtimer_start(&cfqd->journal_timer, ns_to_ktime(JOURNAL_WAIT),
			      HRTIMER_MODE_REL);
}

/**
 * cfqx_journal_release - do not wait for what follows a journal write
 * @cfqd: the device
 *
 * Context: cfqd->lock held.
 */
void cfqx_journal_release(struct cfqx_data *cfqd)
{
	if (!cfqd->journal_hold || cfqx_journal_busy(cfqd))
		return;
	cfqd->journal_hold = false;
	hrtimer_try_to_cancel(&cfqd->journal_timer);
}

/**
 * cfqx_journal_timer - nothing followed a journal write
 * @timer: cfqx_data.journal_timer
 *
 * Context: hard interrupt.
 */
enum hrtimer_restart cfqx_journal_timer(struct hrtimer *timer)
{
	struct cfqx_data *cfqd = container_of(timer, struct cfqx_data,
					      journal_timer);
	unsigned long flags;

	spin_lock_irqsave(&cfqd->lock, flags);
	if (!cfqd->journal.in_driver)
		cfqd->journal_hold = false;
	spin_unlock_irqrestore(&cfqd->lock, flags);
	blk_mq_run_hw_queues(cfqd->rqq, true);
	return HRTIMER_NORESTART;
}

/**
 * cfqx_journal_foreign - a write is done that went past the scheduler
 * @partition: where
 * @rq: the request
 * @now: current time (ns)
 *
 * With a volatile cache, the record that ends a commit and XFS's log do.
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_journal_foreign(struct cfqx_partition *partition, struct request *rq,
			  u64 now)
{
	u64 start = max(rq->start_time_ns, partition->commit_time);

	if (req_op(rq) != REQ_OP_WRITE || !(rq->cmd_flags & REQ_META))
		return;
	cfqx_writers_commit(partition, start, false);
	partition->commit_time = max(start, now);
}
