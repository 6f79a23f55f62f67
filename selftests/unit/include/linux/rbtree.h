/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/rbtree.h>: the same calls on a binary search
 * tree (../../rbtree.c) that stops the test when a node is inserted or erased
 * twice.
 */
#ifndef UNIT_LINUX_RBTREE_H
#define UNIT_LINUX_RBTREE_H

#include <linux/kernel.h>

struct rb_node {
	struct rb_node *rb_parent;
	struct rb_node *rb_left;
	struct rb_node *rb_right;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT			((struct rb_root) { NULL })
#define RB_EMPTY_ROOT(root)	(!(root)->rb_node)

/* As in the kernel, a node in no tree is its own parent. */
#define RB_EMPTY_NODE(node)	((node)->rb_parent == (node))
#define RB_CLEAR_NODE(node)	((node)->rb_parent = (node))

#define rb_entry(ptr, type, member)	container_of(ptr, type, member)

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link);
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);

#endif /* UNIT_LINUX_RBTREE_H */
