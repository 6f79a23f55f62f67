/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose data a device's volatile write cache holds: so that the time in which it
 * is written is charged to them.
 *
 * Locking: cfqx_data.lock, see write_cache.c.
 */
#ifndef CFQX_WRITE_CACHE_H
#define CFQX_WRITE_CACHE_H

#include <linux/types.h>

#define CFQX_NR_CACHED		32

/**
 * struct cfqx_cached - data of one owner that came in a row
 * @owner: whose (opaque here); NULL if that is gone
 * @bytes: how much
 */
struct cfqx_cached {
	void *owner;
	u64 bytes;
};

/**
 * struct cfqx_write_cache - what a device has taken and not yet written
 * @size: how much it takes (bytes); 0 if that is not known
 * @bytes: sum over @cached
 * @first: index of the oldest in @cached
 * @nr: how many there are
 * @filling: it was empty, and has taken nothing but writes since
 * @filled: how much since then (bytes)
 * @fastest: least time for a MiB since then (ns)
 * @cached: the data, a ring, oldest first
 */
struct cfqx_write_cache {
	u64 size;
	u64 bytes;
	unsigned int first;
	unsigned int nr;
	bool filling;
	u64 filled;
	u64 fastest;
	struct cfqx_cached cached[CFQX_NR_CACHED];
};

void cfqx_write_cache_empty(struct cfqx_write_cache *cache);
void cfqx_write_cache_other(struct cfqx_write_cache *cache);
u64 cfqx_write_cache_add(struct cfqx_write_cache *cache, void *owner,
			 u64 bytes, u64 ns);
u64 cfqx_write_cache_take(struct cfqx_write_cache *cache, u64 most,
			  void **owner);
void cfqx_write_cache_forget(struct cfqx_write_cache *cache,
			     const void *owner);

#endif /* CFQX_WRITE_CACHE_H */
