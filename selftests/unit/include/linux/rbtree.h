/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/rbtree.h>: the same calls on a plain binary
 * search tree (../../rbtree.c).  It does not balance, but it stops the test
 * when a node is inserted or erased twice.
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

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT			((struct rb_root) { NULL })
#define RB_ROOT_CACHED		((struct rb_root_cached) { { NULL }, NULL })
#define RB_EMPTY_ROOT(root)	(!(root)->rb_node)

/* As in the kernel, a node in no tree is its own parent. */
#define RB_EMPTY_NODE(node)	((node)->rb_parent == (node))
#define RB_CLEAR_NODE(node)	((node)->rb_parent = (node))

#define rb_entry(ptr, type, member)	container_of(ptr, type, member)
#define rb_first_cached(root)		((root)->rb_leftmost)

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link);
void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost);
void rb_erase(struct rb_node *node, struct rb_root *root);
void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root);

struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

#endif /* UNIT_LINUX_RBTREE_H */
