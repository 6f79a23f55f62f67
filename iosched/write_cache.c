// SPDX-License-Identifier: GPL-2.0
/*
 * The device's volatile write cache.
 *
 * A disk with a write cache says that a write is done when the cache has it, and
 * writes it later: in the next group's turn.  There the next group's writes wait
 * for room, so it would be charged for the time in which its predecessor's data
 * is written.  That would be even if all data took the same time; but a group in
 * a slow zone of the disk leaves more to do behind than it finds.
 *
 * So time is charged to whom it works for: what the cache holds is thought of as
 * a queue, and while it is full, as many bytes leave at its front as enter at its
 * end.  Whose bytes leave pays for the time since the last write was done.
 *
 * How much the cache holds no command tells.  After a flush it is empty: then it
 * takes writes as fast as they pass the interface, until it is full.  What it
 * took by then is its size.  A device without a write cache is never flushed, so
 * nothing is thought to be in it.
 *
 * Locking: cfqx_data.lock.  No allocation, no sleeping, no clock: also built in
 * userspace for the unit tests.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "write_cache.h"

#define MIB			(1024ULL * 1024)

/* Smaller writes are too short to measure (bytes). */
#define MEASURABLE		(64ULL << 10)

/* What is not full after so many bytes is no cache, or too large to matter. */
#define SIZE_MAX_LEARNED	(64 * MIB)

/* It is full once a write takes so many times the least one's time. */
#define SLOWER			2

/**
 * cfqx_write_cache_empty - the device was flushed
 * @cache: its cache
 *
 * From here on how much it takes can be learned.
 */
void cfqx_write_cache_empty(struct cfqx_write_cache *cache)
{
	cache->bytes = 0;
	cache->nr = 0;
	cache->filling = true;
	cache->filled = 0;
	cache->fastest = 0;
}

/**
 * cfqx_write_cache_other - the device was idle, or did something else than write
 * @cache: its cache
 *
 * It may have written what it holds meanwhile, so nothing is to be learned.
 */
void cfqx_write_cache_other(struct cfqx_write_cache *cache)
{
	cache->filling = false;
}

static void learn(struct cfqx_write_cache *cache, u64 bytes, u64 ns)
{
	u64 each;

	if (!cache->filling)
		return;
	if (bytes >= MEASURABLE) {
		each = div64_u64(ns * (MIB >> 10), bytes >> 10);
		if (cache->filled >= MIB && each > SLOWER * cache->fastest) {
			cache->filling = false;
			cache->size = cache->size ?
				      (3 * cache->size + cache->filled) / 4 :
				      cache->filled;
			return;
		}
		if (!cache->fastest || each < cache->fastest)
			cache->fastest = each;
	}
	cache->filled += bytes;
	if (cache->filled > SIZE_MAX_LEARNED)
		cache->filling = false;
}

static struct cfqx_cached *nth(struct cfqx_write_cache *cache, unsigned int n)
{
	return &cache->cached[(cache->first + n) % CFQX_NR_CACHED];
}

/**
 * cfqx_write_cache_add - a write is done: the cache has it
 * @cache: the device's cache
 * @owner: whose it is
 * @bytes: its size
 * @ns: device time since the last request was done
 *
 * Return: how much the cache had to write for that, at its front; 0 if it was not
 * full, or its size is not known.
 */
u64 cfqx_write_cache_add(struct cfqx_write_cache *cache, void *owner,
			 u64 bytes, u64 ns)
{
	struct cfqx_cached *last;

	learn(cache, bytes, ns);
	if (!cache->size)
		return 0;
	last = cache->nr ? nth(cache, cache->nr - 1) : NULL;
	if (!last || (last->owner != owner && cache->nr < CFQX_NR_CACHED)) {
		last = nth(cache, cache->nr++);
		last->bytes = 0;
		last->owner = owner;
	}
	/* With more owners than there is room for the last one has it all. */
	last->owner = owner;
	last->bytes += bytes;
	cache->bytes += bytes;
	return cache->bytes > cache->size ? cache->bytes - cache->size : 0;
}

/**
 * cfqx_write_cache_take - something at the front is written
 * @cache: the device's cache
 * @most: how much is to be taken away, at most (bytes)
 * @owner: set to whose it is, NULL if it is nobody's any more
 *
 * Return: how much there was of that owner; 0 if nothing was.
 */
u64 cfqx_write_cache_take(struct cfqx_write_cache *cache, u64 most,
			  void **owner)
{
	struct cfqx_cached *front = nth(cache, 0);
	u64 bytes;

	if (!cache->nr || !most)
		return 0;
	bytes = min(most, front->bytes);
	*owner = front->owner;
	front->bytes -= bytes;
	cache->bytes -= bytes;
	if (!front->bytes) {
		cache->first = (cache->first + 1) % CFQX_NR_CACHED;
		cache->nr--;
	}
	return bytes;
}

/**
 * cfqx_write_cache_forget - an owner goes away
 * @cache: the device's cache
 * @owner: the owner, which is not named by the cache afterwards
 */
void cfqx_write_cache_forget(struct cfqx_write_cache *cache, const void *owner)
{
	unsigned int i;

	for (i = 0; i < CFQX_NR_CACHED; i++)
		if (cache->cached[i].owner == owner)
			cache->cached[i].owner = NULL;
}
