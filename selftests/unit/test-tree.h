/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random operations on trees, for suites that begin elsewhere than at zero.
 */
#ifndef UNIT_TEST_TREE_H
#define UNIT_TEST_TREE_H

#include <linux/types.h>

void tree_operations(unsigned int seed, u64 vdisktime);

#endif /* UNIT_TEST_TREE_H */
