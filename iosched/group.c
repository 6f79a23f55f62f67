// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: one cgroup on one request queue.  Their place in the service trees,
 * their references, their weights.
 *
 * Locking: cfqx_data.lock, but for allocation and freeing, where nobody else
 * can see the group.
 */
#include <linux/slab.h>

#include "cfqx.h"

/* Until cfqx_group_set_weight(). */
#define INITIAL_WEIGHT		CFQX_V2_WEIGHT_DEFAULT

/**
 * cfqx_group_alloc - memory for a group
 * @gfp: how to allocate; may not sleep when called under queue_lock
 * @node: preferred node
 *
 * Return: the group, not yet attached to a device, or NULL.
 */
struct cfqx_group *cfqx_group_alloc(gfp_t gfp, int node)
{
	struct cfqx_group *group = kzalloc_node(sizeof(*group), gfp, node);

	if (!group)
		return NULL;
	INIT_LIST_HEAD(&group->queues);
	INIT_LIST_HEAD(&group->child_groups);
	INIT_LIST_HEAD(&group->sibling_link);
	INIT_LIST_HEAD(&group->waiting_link);
	INIT_LIST_HEAD(&group->staged_queues);
	INIT_LIST_HEAD(&group->staged_link);
	init_waitqueue_head(&group->staging_wait);
	return group;
}

/**
 * cfqx_group_free - give the memory back
 * @group: the group; it has no users any more
 */
void cfqx_group_free(struct cfqx_group *group)
{
	WARN_ON_ONCE(group->users);
	kfree(group);
}

/**
 * cfqx_group_attach - put a group in its place in the hierarchy
 * @group: the group, its policy data is linked to its blkg
 * @cfqd: the device
 * @parent: group of the parent cgroup, NULL for the root
 *
 * Context: cfqd->lock held.
 */
void cfqx_group_attach(struct cfqx_group *group, struct cfqx_data *cfqd,
		       struct cfqx_group *parent)
{
	group->cfqd = cfqd;
	group->generation = cfqd->generation;
	group->parent = parent;
	group->weight = INITIAL_WEIGHT;
	group->turn = cfqd->tunables.turn;
	group->tasks_turn = cfqd->tunables.turn;

	if (parent)
		cfqx_entity_init(&group->entity, &parent->children,
				 INITIAL_WEIGHT, &group->turn);
	group->entity.role = CFQX_ROLE_GROUP;
	cfqx_tree_init(&group->children, parent ? &group->entity : NULL);
	cfqx_entity_init(&group->tasks, &group->children, INITIAL_WEIGHT,
			 &group->tasks_turn);
	group->tasks.role = CFQX_ROLE_TASKS;
	cfqx_classes_init(group);
	cfqx_queue_init(&group->async, group, cfqx_priority(0), false);
	cfqx_queue_init(&group->shared_sync, group, cfqx_priority(0), true);
	group->async.embedded = true;
	group->shared_sync.embedded = true;
}

/**
 * cfqx_group_get - the group is needed
 * @group: the group
 *
 * Context: cfqx_data.lock held; the caller has a reference on the blkg (a bio
 * of it, say) or is itself a user.
 */
void cfqx_group_get(struct cfqx_group *group)
{
	if (!group->users++)
		percpu_ref_get(&group->pd.blkg->refcnt);
}

/**
 * cfqx_group_put - the group is not needed any more
 * @group: the group; may be gone afterwards
 *
 * Context: cfqx_data.lock held.  The last reference of a blkg is dropped
 * through RCU, so its group outlives the caller's critical section.
 */
void cfqx_group_put(struct cfqx_group *group)
{
	struct blkcg_gq *blkg = group->pd.blkg;

	if (--group->users)
		return;
	cfqx_forget_queue(group->cfqd, &group->async);
	cfqx_forget_queue(group->cfqd, &group->shared_sync);
	percpu_ref_put(&blkg->refcnt);
}

/**
 * cfqx_group_online - the group is in use
 * @group: the group, attached; those above it are online
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_online(struct cfqx_group *group)
{
	if (group->parent)
		list_add_tail(&group->sibling_link,
			      &group->parent->child_groups);
	cfqx_trace_group(group->cfqd, group, "alloced weight=%u leaf_weight=%u",
			 group->weight, group->tasks.weight);
}

/**
 * cfqx_group_offline - the cgroup is being removed
 * @group: its group; what it has queued is still served
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_offline(struct cfqx_group *group)
{
	group->offline = true;
	list_del_init(&group->sibling_link);
	cfqx_stats_leave(group);
	cfqx_writers_forget(&group->cfqd->partitions, group);
	cfqx_write_cache_forget(&group->cfqd->write_cache, group);
	cfqx_group_release_queues(group);
	cfqx_trace_group(group->cfqd, group, "put_group users=%u",
			 group->users);
}

/**
 * cfqx_group_set_weight - change a group's weights on this device
 * @group: the group
 * @weight: what it weighs among its siblings
 * @leaf_weight: what its own tasks weigh among its child groups
 *
 * They count for device time from now on.
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_set_weight(struct cfqx_group *group, unsigned int weight,
			   unsigned int leaf_weight)
{
	if (weight != group->weight || leaf_weight != group->tasks.weight)
		cfqx_trace_group(group->cfqd, group,
				 "weight=%u->%u leaf_weight=%u->%u",
				 group->weight, weight, group->tasks.weight,
				 leaf_weight);
	group->weight = weight;
	cfqx_entity_set_weight(&group->entity, weight);
	cfqx_entity_set_weight(&group->tasks, leaf_weight);
}

/**
 * cfqx_group_update_busy - count a group among those that want tags, or not
 * @group: the group, after its tags or staged bios changed
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_update_busy(struct cfqx_group *group)
{
	bool busy = group->tags || group->nr_staged;

	if (busy == group->busy)
		return;
	group->busy = busy;
	if (busy)
		group->cfqd->nr_busy_groups++;
	else
		group->cfqd->nr_busy_groups--;
}

/**
 * cfqx_group_charge - a group used the device
 * @group: who
 * @leaf: which of its entities
 * @ns: for how long
 *
 * Context: cfqx_data.lock held.
 */
void cfqx_group_charge(struct cfqx_group *group, struct cfqx_entity *leaf,
		       u64 ns)
{
	cfqx_stats_time(group, ns, false);
	cfqx_entity_charge(leaf, ns);
}
