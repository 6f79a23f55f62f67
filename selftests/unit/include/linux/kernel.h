/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/kernel.h>: min, max, clamp, container_of.
 * As in the kernel, min() and max() of two types do not compile.
 */
#ifndef UNIT_LINUX_KERNEL_H
#define UNIT_LINUX_KERNEL_H

#include <assert.h>

#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define __pick(x, op, y) ({						\
	__auto_type _x = (x);						\
	__auto_type _y = (y);						\
									\
	static_assert(__builtin_types_compatible_p(__typeof__(_x),	\
						   __typeof__(_y)),	\
		      "comparison of two types");			\
	_x op _y ? _x : _y;						\
})

#define min(x, y)		__pick(x, <, y)
#define max(x, y)		__pick(x, >, y)
#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))
#define clamp(x, lo, hi)	min(max(x, lo), hi)
#define clamp_t(type, x, lo, hi) \
	clamp((type)(x), (type)(lo), (type)(hi))

#endif /* UNIT_LINUX_KERNEL_H */
