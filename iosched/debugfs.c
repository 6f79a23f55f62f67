// SPDX-License-Identifier: GPL-2.0
/*
 * Debugfs: what the scheduler knows now, in /sys/kernel/debug/block/X/sched/.
 * Documentation/debugfs.rst explains the files.
 *
 * All are read in parts.  For each part, which is what fits in one buffer (a
 * page), cfqx_data.lock is taken with interrupts off, the part is found by
 * counting from the start, and printed.  Counting follows a pointer for each
 * record, so even behind the last of 10,000 groups it is a matter of a
 * millisecond, while printing them all at once would be tens.  The price: what
 * comes or goes between two parts may be shown twice or be left out.  No
 * reference is held between two parts, so a file that is kept open is in
 * nobody's way.
 *
 * A file may be read while its scheduler leaves: some kernels remove the files
 * only later.  So a reader looks its device up among those that are there, and
 * holds devices_lock for the part; a device leaves under it.
 *
 * Locking: devices_lock (a mutex), then cfqx_data.lock.
 */
#include <linux/kmemleak.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "cfqx.h"

static LIST_HEAD(devices);
static DEFINE_MUTEX(devices_lock);	/* devices, path */

/* Of the group that is shown; paths are too long for the stack. */
static char path[PATH_MAX];

/**
 * struct view - one file
 * @ops: what the core is given; the functions are the same for all
 * @first: the first record, NULL if there is none
 * @next: the one after a record, NULL after the last
 */
struct view {
	const struct seq_operations ops;
	void *(*first)(struct cfqx_data *cfqd);
	void *(*next)(struct cfqx_data *cfqd, void *record);
};

/**
 * cfqx_debugfs_attach - a device may be looked at
 * @cfqd: the device, with its groups
 *
 * Context: process.
 */
void cfqx_debugfs_attach(struct cfqx_data *cfqd)
{
	mutex_lock(&devices_lock);
	list_add(&cfqd->device_link, &devices);
	mutex_unlock(&devices_lock);
}

/**
 * cfqx_debugfs_detach - a device goes away
 * @cfqd: the device; nobody looks at it afterwards
 *
 * Context: process.
 */
void cfqx_debugfs_detach(struct cfqx_data *cfqd)
{
	mutex_lock(&devices_lock);
	list_del(&cfqd->device_link);
	mutex_unlock(&devices_lock);
}

static struct cfqx_data *device_of(const struct request_queue *q)
{
	struct cfqx_data *cfqd;

	list_for_each_entry(cfqd, &devices, device_link)
		if (cfqd->rqq == q)
			return cfqd;
	return NULL;
}

/* For sparse a part begins and ends under the lock, device or not. */
static void *view_start(struct seq_file *m, loff_t *pos)
	__acquires(lock)
{
	const struct view *view = container_of(m->op, struct view, ops);
	struct cfqx_data *cfqd;
	void *record;
	loff_t n;

	mutex_lock(&devices_lock);
	cfqd = device_of(m->private);
	if (!cfqd) {
		__acquire(lock);
		return NULL;
	}
	spin_lock_irq(&cfqd->lock);
	record = view->first(cfqd);
	for (n = 0; record && n < *pos; n++)
		record = view->next(cfqd, record);
	return record;
}

static void *view_next(struct seq_file *m, void *record, loff_t *pos)
{
	const struct view *view = container_of(m->op, struct view, ops);

	++*pos;
	return view->next(device_of(m->private), record);
}

static void view_stop(struct seq_file *m, void *record)
	__releases(lock)
{
	struct cfqx_data *cfqd = device_of(m->private);

	if (cfqd)
		spin_unlock_irq(&cfqd->lock);
	else
		__release(lock);
	mutex_unlock(&devices_lock);
}

#define VIEW(name)					\
static const struct view name##_view = {		\
	.ops = {					\
		.start	= view_start,			\
		.next	= view_next,			\
		.stop	= view_stop,			\
		.show	= name##_show,			\
	},						\
	.first	= name##_first,				\
	.next	= name##_next,				\
}

static const char *path_of(struct cfqx_group *group)
{
	if (cgroup_path(cfqx_group_css(group)->cgroup, path, sizeof(path)) < 0)
		return "?";
	return path;
}

/* groups: a line each, parents first */

static void *groups_first(struct cfqx_data *cfqd)
{
	return cfqd->root;
}

static void *groups_next(struct cfqx_data *cfqd, void *record)
{
	struct cfqx_group *group = record;

	if (!list_empty(&group->child_groups))
		return list_first_entry(&group->child_groups,
					struct cfqx_group, sibling_link);
	for (; group->parent; group = group->parent)
		if (!list_is_last(&group->sibling_link,
				  &group->parent->child_groups))
			return list_next_entry(group, sibling_link);
	return NULL;
}

/* Requests and bios of all kinds. */
static u64 sum_of(const struct cfqx_group *group, enum cfqx_counter counter)
{
	unsigned int kind;
	u64 sum = 0;

	for (kind = 0; kind < CFQX_NR_KINDS; kind++)
		sum += group->stats.count[kind][counter];
	return sum;
}

/* Per mille of its siblings' time, while those that have work do. */
static u64 share_of(const struct cfqx_entity *entity)
{
	if (!entity->queued)
		return 0;
	return div64_u64(1000ULL * entity->weight, entity->tree->weight);
}

static int groups_show(struct seq_file *m, void *record)
{
	struct cfqx_group *group = record;

	seq_printf(m, "%s weight=%u leaf_weight=%u", path_of(group),
		   group->weight, group->tasks.weight);
	if (group->parent)
		seq_printf(m, " vt=%llu share=%llu", group->entity.vdisktime,
			   share_of(&group->entity));
	seq_printf(m, " tasks_share=%llu queued=%llu in_driver=%llu tags=%u",
		   share_of(&group->tasks), sum_of(group, CFQX_QUEUED),
		   sum_of(group, CFQX_IN_DRIVER), group->tags);
	seq_printf(m, " staged=%u staged_bytes=%llu time=%llu\n",
		   group->nr_staged, group->staged_bytes, group->stats.time);
	return 0;
}

VIEW(groups);

/* tree: what is on the service trees, below what its time is divided of */

static void *first_of(struct cfqx_service_tree *tree)
{
	struct rb_node *node = rb_first(&tree->root);

	return node ? rb_entry(node, struct cfqx_entity, node) : NULL;
}

static void *tree_first(struct cfqx_data *cfqd)
{
	return first_of(&cfqd->root->children);
}

static void *tree_next(struct cfqx_data *cfqd, void *record)
{
	struct cfqx_entity *entity = record;

	if (entity->sub && entity->sub->nr_queued)
		return first_of(entity->sub);
	for (; entity; entity = entity->tree->owner) {
		struct rb_node *node = rb_next(&entity->node);

		if (node)
			return rb_entry(node, struct cfqx_entity, node);
	}
	return NULL;
}

static void show_queue_name(struct seq_file *m, const struct cfqx_queue *queue)
{
	seq_printf(m, "cfqx%d%c", queue->pid, queue->sync ? 'S' : 'A');
}

static void show_entity_name(struct seq_file *m, struct cfqx_entity *entity)
{
	static const char *const class_name[] = { "rt", "be", "idle" };
	struct cfqx_group *group = cfqx_entity_group(entity);
	struct cfqx_queue *queue = cfqx_entity_queue(entity);

	switch (entity->role) {
	case CFQX_ROLE_GROUP:
		seq_printf(m, "group %s%s", path_of(group),
			   group->offline ? " (removed)" : "");
		return;
	case CFQX_ROLE_TASKS:
		seq_printf(m, "tasks %s", path_of(group));
		return;
	case CFQX_ROLE_CLASS:
		seq_printf(m, "class %s",
			   class_name[container_of(entity, struct cfqx_class,
						   entity) - group->class]);
		return;
	case CFQX_ROLE_NOIDLE:
		seq_puts(m, "noidle");
		return;
	}
	seq_puts(m, "queue ");
	show_queue_name(m, queue);
	seq_printf(m, " wl=%s", cfqx_workload_name(queue->workload));
}

static int tree_show(struct seq_file *m, void *record)
{
	struct cfqx_entity *entity = record, *above;
	struct cfqx_service_tree *tree = entity->tree;

	for (above = tree->owner; above; above = above->tree->owner)
		seq_puts(m, "  ");
	seq_puts(m, tree->active == entity ? "* " : "- ");
	show_entity_name(m, entity);
	seq_printf(m, " weight=%u vt=%lld deadline=%lld slice=%lld/%llu\n",
		   entity->weight, (s64)(entity->vdisktime - tree->vtime),
		   (s64)(entity->deadline - tree->vtime), entity->slice_used,
		   *entity->slice);
	return 0;
}

VIEW(tree);

/* queues: those that are allocated, and the groups' own that are in use */

static void *queues_first(struct cfqx_data *cfqd)
{
	return &cfqd->root->async;
}

static void *queues_next(struct cfqx_data *cfqd, void *record)
{
	struct cfqx_queue *queue = record;
	struct cfqx_group *group = queue->group;

	if (queue == &group->async)
		return &group->shared_sync;
	if (queue == &group->shared_sync) {
		if (!list_empty(&group->queues))
			return list_first_entry(&group->queues,
						struct cfqx_queue, lru);
	} else if (!list_is_last(&queue->lru, &group->queues)) {
		return list_next_entry(queue, lru);
	}
	group = groups_next(cfqd, group);
	return group ? &group->async : NULL;
}

static int queues_show(struct seq_file *m, void *record)
{
	struct cfqx_queue *queue = record;

	if (queue->embedded && !queue->in_driver && !cfqx_queue_has_work(queue))
		return SEQ_SKIP;
	show_queue_name(m, queue);
	seq_printf(m, " group=%s prio=%u/%u wl=%s sync=%u", path_of(queue->group),
		   queue->priority.class, queue->priority.level,
		   cfqx_workload_name(queue->workload), queue->sync);
	seq_printf(m, " on_tree=%u queued=%u in_driver=%u staged=%u",
		   queue->entity.queued, queue->nr_queued, queue->in_driver,
		   bio_list_size(&queue->staged));
	seq_printf(m, " think=%llu/%u seeks=%u/32 closing=%u slice=%lld/%llu\n",
		   queue->think_time, queue->think_samples,
		   hweight32(queue->seek_history), queue->closing,
		   queue->entity.slice_used, *queue->entity.slice);
	return 0;
}

VIEW(queues);

/* dispatch: requests that go before all others */

static void *dispatch_first(struct cfqx_data *cfqd)
{
	struct request *rq;

	rq = list_first_entry_or_null(&cfqd->dispatch, struct request,
				      queuelist);
	if (rq)
		return rq;
	return list_first_entry_or_null(&cfqd->journal.fifo, struct request,
					queuelist);
}

static void *dispatch_next(struct cfqx_data *cfqd, void *record)
{
	struct request *rq = record;

	if (list_is_last(&rq->queuelist, &cfqd->dispatch))
		return list_first_entry_or_null(&cfqd->journal.fifo,
						struct request, queuelist);
	if (list_is_last(&rq->queuelist, &cfqd->journal.fifo))
		return NULL;
	return list_next_entry(rq, queuelist);
}

static int dispatch_show(struct seq_file *m, void *record)
{
	struct request *rq = record;
	bool journal = cfqx_rq_managed(rq) && cfqx_rq_test(rq, CFQX_RQ_QUEUED);

	seq_printf(m, "%s op=%u sector=%llu bytes=%u\n",
		   journal ? "journal" : "dispatch",
		   (__force unsigned int)req_op(rq),
		   (unsigned long long)blk_rq_pos(rq), blk_rq_bytes(rq));
	return 0;
}

VIEW(dispatch);

/* state: of the device, one record */

static void *state_first(struct cfqx_data *cfqd)
{
	return cfqd;
}

static void *state_next(struct cfqx_data *cfqd, void *record)
{
	return NULL;
}

static void show_kept(struct seq_file *m, const char *name,
		      const struct cfqx_queue *queue)
{
	seq_printf(m, "%s ", name);
	if (!queue) {
		seq_puts(m, "none\n");
		return;
	}
	show_queue_name(m, queue);
	seq_printf(m, " %s\n", path_of(queue->group));
}

static void show_tunables(struct seq_file *m, const struct cfqx_tunables *t)
{
	unsigned int level;

	seq_printf(m, "turn %llu\nturn_async %llu to %llu of %llu\n", t->turn,
		   t->turn_async, t->turn_async_max, t->period_async);
	seq_puts(m, "slice_sync");
	for (level = 0; level < CFQX_NR_LEVELS; level++)
		seq_printf(m, " %llu", t->slice[true][level]);
	seq_puts(m, "\nslice_async");
	for (level = 0; level < CFQX_NR_LEVELS; level++)
		seq_printf(m, " %llu", t->slice[false][level]);
	seq_putc(m, '\n');
}

static int state_show(struct seq_file *m, void *record)
{
	struct cfqx_data *cfqd = record;
	u64 now = ktime_get_ns();
	u64 empty = 0;

	if (!cfqd->clock.in_flight && now > cfqd->clock.last_event)
		empty = now - cfqd->clock.last_event;
	show_kept(m, "serving", cfqd->serving);
	seq_printf(m, "draining %u\n", cfqd->draining);
	show_kept(m, "idling", cfqd->idling);
	seq_printf(m, "idle_timer %u\nempty_for %llu\n",
		   cfqd->idle_timer_armed, empty);
	seq_printf(m, "in_driver %u\ndriver_limit %u of %u\n",
		   cfqd->clock.in_flight, cfqd->driver_limit, cfqd->hw_depth);
	seq_printf(m, "journal_hold %u\njournal %u queued %u in_driver\n",
		   cfqd->journal_hold, cfqd->journal.nr_queued,
		   cfqd->journal.in_driver);
	seq_printf(m, "queued %u\ntags %u\ntransit %u\nstaged %u\n",
		   cfqd->queued, cfqd->tags, cfqd->transit, cfqd->nr_staged);
	seq_printf(m, "busy_groups %u\nwaited_for %u\nbusy_time %llu\n",
		   cfqd->nr_busy_groups, cfqd->root->children.nr_urgent,
		   cfqd->clock.busy);
	show_tunables(m, &cfqd->tunables);
	return 0;
}

VIEW(state);

#define ATTR(file)	{ #file, 0400, .seq_ops = &file##_view.ops }

static const struct blk_mq_debugfs_attr attrs[] = {
	ATTR(groups),
	ATTR(tree),
	ATTR(queues),
	ATTR(dispatch),
	ATTR(state),
	{ }
};

#undef ATTR
#undef VIEW

/**
 * cfqx_debugfs_init - let the core make the files of each device
 * @type: the elevator, not yet registered
 *
 * The core looks at a file's attribute when the file is closed, which may be
 * long after the module has gone.  So it is given a copy that stays: a few
 * hundred bytes each time the module is loaded.  Without it there are no files.
 *
 * Context: process.
 */
void __init cfqx_debugfs_init(struct elevator_type *type)
{
	type->queue_debugfs_attrs = kmemdup(attrs, sizeof(attrs), GFP_KERNEL);
	kmemleak_ignore(type->queue_debugfs_attrs);
}
