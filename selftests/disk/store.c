// SPDX-License-Identifier: GPL-2.0
/*
 * The data of the modelled disk: a two-level table of those pages that are not
 * all zero. Pages and the leaves of the table come from the same allocator, and
 * from a small reserve when it has none: a request's data is moved where nothing
 * may sleep, and often at a time when dirty pages have eaten all memory.
 *
 * Takes mdisk_store.lock for one page at a time.
 */
#include <linux/bits.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "modeldisk.h"

#define LEAF_SHIFT	9		/* a leaf fills a page */
#define LEAF_PAGES	BIT(LEAF_SHIFT)
#define PIECE_SHIFT	12		/* 4 KiB, whatever the machine's pages */
#define PIECE_SIZE	BIT(PIECE_SHIFT)
#define RESERVE_PAGES	1024

/*
 * Every word must be looked at, and this is most of what a write costs; so one
 * test for many words.
 */
static bool all_zero(const void *p, u32 len)
{
	const u64 *w = p;
	u32 i;

	for (i = 0; i + 16 <= len / 8; i += 16, w += 16) {
		if (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7] |
		    w[8] | w[9] | w[10] | w[11] | w[12] | w[13] | w[14] | w[15])
			return false;
	}
	return !memchr_inv(w, 0, len - i * 8);
}

static void give_back(struct mdisk_store *s, void *page)
{
	lockdep_assert_held(&s->lock);
	if (s->nr_reserve < RESERVE_PAGES) {
		*(void **)page = s->reserve;
		s->reserve = page;
		s->nr_reserve++;
	} else {
		free_page((unsigned long)page);
	}
}

/* A zeroed page, or NULL. */
static void *take_page(struct mdisk_store *s)
{
	void *page = (void *)get_zeroed_page(GFP_NOWAIT | __GFP_NOWARN);

	lockdep_assert_held(&s->lock);
	if (!page && s->reserve) {
		page = s->reserve;
		s->reserve = *(void **)page;
		s->nr_reserve--;
		memset(page, 0, PAGE_SIZE);
	}
	if (s->nr_reserve < RESERVE_PAGES / 2)
		schedule_work(&s->refill);
	if (!page)
		s->failed++;
	return page;
}

static void *take_data_page(struct mdisk_store *s)
{
	void *page = NULL;

	if (s->max_pages && s->pages >= s->max_pages)
		s->failed++;
	else
		page = take_page(s);
	if (page)
		s->pages++;
	return page;
}

static void refill_fn(struct work_struct *work)
{
	struct mdisk_store *s = container_of(work, struct mdisk_store, refill);

	while (READ_ONCE(s->nr_reserve) < RESERVE_PAGES) {
		/*
		 * Waiting for our own write-back would be waiting for us, and
		 * a reserve is not worth killing somebody for.
		 */
		unsigned long page = __get_free_page(GFP_NOIO | __GFP_NORETRY |
						     __GFP_NOWARN);

		if (!page)
			return;
		spin_lock(&s->lock);
		give_back(s, (void *)page);
		spin_unlock(&s->lock);
	}
}

/* Where the address of piece @index is kept, or NULL. */
static void **slot_of(struct mdisk_store *s, u64 index, bool create)
{
	void ***leaf = &s->dir[index >> LEAF_SHIFT];

	if (!*leaf && create)
		*leaf = take_page(s);
	return *leaf ? *leaf + (index & (LEAF_PAGES - 1)) : NULL;
}

static void read_piece(struct mdisk_store *s, u64 pos, void *buf, u32 len)
{
	void **slot = slot_of(s, pos >> PIECE_SHIFT, false);

	if (slot && *slot)
		memcpy(buf, *slot + (pos & (PIECE_SIZE - 1)), len);
	else
		memset(buf, 0, len);
}

static void drop_piece(struct mdisk_store *s, void **slot)
{
	give_back(s, *slot);
	*slot = NULL;
	s->pages--;
}

static bool write_piece(struct mdisk_store *s, u64 pos, const void *buf,
			u32 len)
{
	bool zero = all_zero(buf, len);
	void **slot = slot_of(s, pos >> PIECE_SHIFT, !zero);

	if (!slot)
		return zero;
	if (!*slot) {
		if (zero)
			return true;
		*slot = take_data_page(s);
		if (!*slot)
			return false;
	}
	memcpy(*slot + (pos & (PIECE_SIZE - 1)), buf, len);
	if (zero && all_zero(*slot, PIECE_SIZE))
		drop_piece(s, slot);
	return true;
}

/* Move a buffer within one page of memory, piece by piece. */
static bool move_segment(struct mdisk_store *s, u64 pos, void *buf, u32 len,
			 bool write)
{
	bool ok = true;

	while (len) {
		u32 piece = min_t(u32, len,
				  PIECE_SIZE - (pos & (PIECE_SIZE - 1)));

		spin_lock(&s->lock);
		if (write)
			ok &= write_piece(s, pos, buf, piece);
		else
			read_piece(s, pos, buf, piece);
		spin_unlock(&s->lock);
		pos += piece;
		buf += piece;
		len -= piece;
	}
	return ok;
}

/**
 * mdisk_store_move() - move a request's data
 * @s: the store
 * @rq: a read or a write
 *
 * Context: process, may not sleep. Return: BLK_STS_OK, or BLK_STS_IOERR if there
 * was no memory for a page; the pages before and behind it are written.
 */
blk_status_t mdisk_store_move(struct mdisk_store *s, struct request *rq)
{
	bool write = op_is_write(req_op(rq));
	u64 pos = blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bv;
	bool ok = true;

	rq_for_each_segment(bv, rq, iter) {
		void *buf = bvec_kmap_local(&bv);

		ok &= move_segment(s, pos, buf, bv.bv_len, write);
		kunmap_local(buf);
		pos += bv.bv_len;
	}
	return ok ? BLK_STS_OK : BLK_STS_IOERR;
}

/**
 * mdisk_store_init() - an empty store
 * @s: the store
 * @sectors: capacity
 * @max_pages: what it may hold, 0 for no limit
 *
 * Context: process. Return: 0 or -ENOMEM; in either case mdisk_store_free() ends
 * it.
 */
int mdisk_store_init(struct mdisk_store *s, u64 sectors, u64 max_pages)
{
	u64 per_leaf = (u64)PIECE_SIZE * LEAF_PAGES >> SECTOR_SHIFT;

	spin_lock_init(&s->lock);
	INIT_WORK(&s->refill, refill_fn);
	s->max_pages = max_pages;
	s->nr_dir = DIV_ROUND_UP_ULL(sectors, per_leaf);
	s->dir = kvcalloc(s->nr_dir, sizeof(*s->dir), GFP_KERNEL);
	if (!s->dir)
		return -ENOMEM;
	refill_fn(&s->refill);
	return s->nr_reserve ? 0 : -ENOMEM;
}

static void free_leaf(void **leaf)
{
	u32 i;

	for (i = 0; leaf && i < LEAF_PAGES; i++)
		free_page((unsigned long)leaf[i]);
	free_page((unsigned long)leaf);
}

/**
 * mdisk_store_free() - free all pages
 * @s: the store; no request is left
 *
 * Context: process.
 */
void mdisk_store_free(struct mdisk_store *s)
{
	u64 i;

	cancel_work_sync(&s->refill);
	for (i = 0; s->dir && i < s->nr_dir; i++) {
		free_leaf(s->dir[i]);
		cond_resched();
	}
	kvfree(s->dir);
	while (s->reserve) {
		void *page = s->reserve;

		s->reserve = *(void **)page;
		free_page((unsigned long)page);
	}
}
