/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/string.h>.
 */
#ifndef UNIT_LINUX_STRING_H
#define UNIT_LINUX_STRING_H

#include <string.h>

#include <linux/types.h>

#endif /* UNIT_LINUX_STRING_H */
