/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/math64.h>: 64-bit division.
 */
#ifndef UNIT_LINUX_MATH64_H
#define UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline s64 div64_s64(s64 dividend, s64 divisor)
{
	return dividend / divisor;
}

/* a * b / divisor, though the product needs 128 bits. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (__uint128_t)a * b / divisor;
}

#endif /* UNIT_LINUX_MATH64_H */
