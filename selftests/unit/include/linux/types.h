/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/types.h>: the kernel's integer types.
 */
#ifndef UNIT_LINUX_TYPES_H
#define UNIT_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef signed int s32;
typedef unsigned int u32;
typedef signed long long s64;
typedef unsigned long long u64;

#endif /* UNIT_LINUX_TYPES_H */
