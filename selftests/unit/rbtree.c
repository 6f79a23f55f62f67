// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of <linux/rbtree_augmented.h> on a binary search tree, for tests.
 *
 * Wrong use stops the test: linking a node that is in a tree, erasing one that
 * is not.  A new node moves up by a random number of rotations: that balances
 * well enough, and the callbacks are called as they are in the kernel.  Takes
 * no locks.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/rbtree_augmented.h>

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

static void check_root(struct rb_node *node, struct rb_root *root)
{
	while (node->rb_parent)
		node = node->rb_parent;
	check(node == root->rb_node, "node is in another tree");
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

/* Let @node and the one above it change places.  Return: the latter. */
static struct rb_node *rotate(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *above = node->rb_parent, *child;

	replace(root, above, node);
	if (above->rb_left == node) {
		child = node->rb_right;
		above->rb_left = child;
		node->rb_right = above;
	} else {
		child = node->rb_left;
		above->rb_right = child;
		node->rb_left = above;
	}
	above->rb_parent = node;
	if (child)
		child->rb_parent = above;
	return above;
}

void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *augment)
{
	static unsigned int random;

	check_root(node, root);
	for (;;) {
		random = random * 1664525 + 1013904223;
		if (!node->rb_parent || random >> 31)
			return;
		augment->rotate(rotate(root, node), node);
	}
}

/* Return: the lowest node below which something changed, NULL for none. */
static struct rb_node *unlink_node(struct rb_node *node, struct rb_root *root,
				   const struct rb_augment_callbacks *augment)
{
	struct rb_node *next, *changed;

	if (!node->rb_left || !node->rb_right) {
		replace(root, node, node->rb_left ? node->rb_left :
			node->rb_right);
		return node->rb_parent;
	}
	next = rb_next(node);
	changed = next;
	if (next->rb_parent != node) {
		changed = next->rb_parent;
		replace(root, next, next->rb_right);
		next->rb_right = node->rb_right;
		next->rb_right->rb_parent = next;
	}
	replace(root, node, next);
	next->rb_left = node->rb_left;
	next->rb_left->rb_parent = next;
	augment->copy(node, next);
	augment->propagate(changed, next);
	return next;
}

void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *augment)
{
	check(!RB_EMPTY_NODE(node) && node->rb_parent != &erased,
	      "node to erase is in no tree");
	check_root(node, root);
	augment->propagate(unlink_node(node, root, augment), NULL);
	node->rb_parent = &erased;
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
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
