/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for <linux/rbtree_augmented.h>: trees whose nodes know
 * something about all nodes below them (../../rbtree.c).
 */
#ifndef UNIT_LINUX_RBTREE_AUGMENTED_H
#define UNIT_LINUX_RBTREE_AUGMENTED_H

#include <linux/rbtree.h>

/**
 * struct rb_augment_callbacks - keep what nodes know about those below them
 * @propagate: from a node up, before @stop; may end where nothing changes
 * @copy: a node takes another's place
 * @rotate: a node and the one above it changed places
 */
struct rb_augment_callbacks {
	void (*propagate)(struct rb_node *node, struct rb_node *stop);
	void (*copy)(struct rb_node *old, struct rb_node *new);
	void (*rotate)(struct rb_node *old, struct rb_node *new);
};

#define RB_DECLARE_CALLBACKS(storage, name, type, member, field, compute)    \
static void name##_propagate(struct rb_node *node, struct rb_node *stop)      \
{									      \
	for (; node != stop; node = node->rb_parent)			      \
		if (compute(rb_entry(node, type, member), true))	      \
			return;						      \
}									      \
static void name##_copy(struct rb_node *old, struct rb_node *new)	      \
{									      \
	type *from = rb_entry(old, type, member);			      \
									      \
	rb_entry(new, type, member)->field = from->field;		      \
}									      \
static void name##_rotate(struct rb_node *old, struct rb_node *new)	      \
{									      \
	name##_copy(old, new);						      \
	compute(rb_entry(old, type, member), false);			      \
}									      \
storage const struct rb_augment_callbacks name = {			      \
	.propagate = name##_propagate,					      \
	.copy = name##_copy,						      \
	.rotate = name##_rotate,					      \
}

void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *augment);
void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *augment);

#endif /* UNIT_LINUX_RBTREE_AUGMENTED_H */
