// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of <linux/rbtree.h> on a plain binary search tree, for tests.
 *
 * Wrong use stops the test: linking a node that is in a tree, erasing one that
 * is not, a leftmost hint that is wrong.  Takes no locks.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/rbtree.h>

/* The parent of a node that was erased: as in the kernel, it is not empty. */
static struct rb_node erased;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "rbtree: %s\n", what);
	abort();
}

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link)
{
	check(RB_EMPTY_NODE(node) || node->rb_parent == &erased,
	      "node to link is in a tree");
	check(!*link, "place to link to is taken");
	node->rb_parent = parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *top = node;

	while (top->rb_parent)
		top = top->rb_parent;
	check(top == root->rb_node, "node was linked into another tree");
}

void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost)
{
	rb_insert_color(node, &root->rb_root);
	if (leftmost)
		root->rb_leftmost = node;
	check(root->rb_leftmost == rb_first(&root->rb_root),
	      "leftmost is not the first");
}

/* Let whoever points at @old point at @new. */
static void replace(struct rb_root *root, struct rb_node *old,
		    struct rb_node *new)
{
	struct rb_node *parent = old->rb_parent;

	if (!parent)
		root->rb_node = new;
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
	if (new)
		new->rb_parent = parent;
}

static void unlink_node(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left) {
		replace(root, node, node->rb_right);
		return;
	}
	if (!node->rb_right) {
		replace(root, node, node->rb_left);
		return;
	}
	next = rb_next(node);
	if (next->rb_parent != node) {
		replace(root, next, next->rb_right);
		next->rb_right = node->rb_right;
		next->rb_right->rb_parent = next;
	}
	replace(root, node, next);
	next->rb_left = node->rb_left;
	next->rb_left->rb_parent = next;
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	check(!RB_EMPTY_NODE(node) && node->rb_parent != &erased,
	      "node to erase is in no tree");
	rb_insert_color(node, root);
	unlink_node(node, root);
	node->rb_parent = &erased;
}

void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	rb_erase(node, &root->rb_root);
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

struct rb_node *rb_last(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_right)
		node = node->rb_right;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *parent = node->rb_parent;

	check(parent != &erased, "successor of an erased node");
	if (parent == node)
		return NULL;
	if (node->rb_right) {
		node = node->rb_right;
		while (node->rb_left)
			node = node->rb_left;
		return (struct rb_node *)node;
	}
	while (parent && node == parent->rb_right) {
		node = parent;
		parent = node->rb_parent;
	}
	return parent;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *parent = node->rb_parent;

	check(parent != &erased, "predecessor of an erased node");
	if (parent == node)
		return NULL;
	if (node->rb_left) {
		node = node->rb_left;
		while (node->rb_right)
			node = node->rb_right;
		return (struct rb_node *)node;
	}
	while (parent && node == parent->rb_left) {
		node = parent;
		parent = node->rb_parent;
	}
	return parent;
}
