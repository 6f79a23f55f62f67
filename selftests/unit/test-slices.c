// SPDX-License-Identifier: GPL-2.0
/*
 * Slices: who is chosen keeps the device until its slice is charged, at every
 * level by itself.
 *
 * Takes no locks.
 */
#include "sim.h"

static struct sim sim;

static struct sim_node *selected(void)
{
	struct cfqx_entity *entity = cfqx_tree_select(&sim.top);

	return entity ? container_of(entity, struct sim_node, entity) : NULL;
}

static void setup_pair(struct sim_node **a, struct sim_node **b)
{
	sim_init(&sim, 1, 0);
	*a = sim_add(&sim, NULL, 100, true);
	*b = sim_add(&sim, NULL, 100, true);
	sim_wake_all(&sim);
}

static void test_kept_until_charged(void)
{
	unsigned int turn, i;
	struct sim_node *first;
	u64 used, ns;

	random_seed(1);
	sim_init(&sim, 1, 0);
	for (i = 0; i < 5; i++)
		sim_add(&sim, NULL, random_between(1, 10000), true);
	sim_wake_all(&sim);
	for (turn = 0; turn < 1000; turn++) {
		first = selected();
		for (used = 0; used < sim.slice; used += ns) {
			if (!expect(selected() == first,
				    "turn %u: left after %llu ns", turn, used))
				return;
			ns = random_between(1, 20 * NSEC_PER_MSEC);
			cfqx_entity_charge(&first->entity, ns);
		}
		expect((s64)(sim.top.vtime -
			     selected()->entity.vdisktime) >= 0,
		       "turn %u: chosen one is ahead", turn);
	}
}

static void test_others_do_not_use_it(void)
{
	struct sim_node *a, *b, *first;

	setup_pair(&a, &b);
	first = selected();
	cfqx_entity_charge(first == a ? &b->entity : &a->entity,
			   10 * sim.slice);
	expect(selected() == first, "another's charge ended the slice");
	cfqx_entity_charge(&first->entity, sim.slice);
	cfqx_entity_charge(&first->entity, -1);
	expect(selected() == first, "a charge taken back ended the slice");
}

static void test_end_slice(void)
{
	struct sim_node *a, *b, *first;

	setup_pair(&a, &b);
	first = selected();
	cfqx_entity_charge(&first->entity, sim.slice / 2);
	expect(selected() == first, "left after half a slice");
	cfqx_entity_end_slice(first == a ? &b->entity : &a->entity);
	expect(selected() == first, "the end of another's slice ended it");
	cfqx_entity_end_slice(&first->entity);
	expect(selected() != first, "kept after the end of its slice");
}

/*
 * Giving way ends a slice that is mostly over, once; and only those of who is
 * served, so whoever asks until nobody gives way comes to an end.
 */
static void test_give_way(void)
{
	struct sim_node *a, *b, *first, *other;

	setup_pair(&a, &b);
	first = selected();
	other = first == a ? b : a;
	cfqx_entity_charge(&first->entity, sim.slice / 2);
	expect(!cfqx_entity_give_way(&first->entity), "after half a slice");
	cfqx_entity_charge(&other->entity, sim.slice);
	expect(!cfqx_entity_give_way(&other->entity), "was not served");
	expect(selected() == first, "another one ended the slice");
	cfqx_entity_charge(&first->entity, sim.slice / 4);
	expect(cfqx_entity_give_way(&first->entity), "not after three quarters");
	expect(!cfqx_entity_give_way(&first->entity), "gave way twice");
	first = selected();
	expect(!cfqx_entity_give_way(&first->entity), "at the start of a slice");
	sim_sleep(&sim, first == a ? b : a);
	cfqx_entity_charge(&first->entity, sim.slice - 1);
	expect(!cfqx_entity_give_way(&first->entity), "to nobody");
}

/* At each level by itself. */
static void test_give_way_above(void)
{
	struct sim_node *parent, *uncle, *a, *b;

	sim_init(&sim, 1, 0);
	parent = sim_add(&sim, NULL, 100, false);
	a = sim_add(&sim, parent, 100, true);
	b = sim_add(&sim, parent, 100, true);
	sim_wake_all(&sim);
	a = selected();
	uncle = sim_add(&sim, NULL, 100, true);
	sim_wake(&sim, uncle);
	cfqx_entity_charge(&a->entity, sim.slice * 3 / 4);
	cfqx_entity_end_slice(&a->entity);
	cfqx_entity_charge(&uncle->entity, 10 * sim.slice);
	b = selected();
	expect(b != uncle && b != a, "the slice of the parent went on");
	expect(cfqx_entity_give_way(&b->entity), "the parent's slice is mostly over");
	cfqx_entity_charge(&parent->entity, 20 * sim.slice);
	expect(selected() == uncle, "the parent did not give way");
}

/* One ended early gets a whole slice when it is chosen the next time. */
static void test_new_slice_is_whole(void)
{
	struct sim_node *a, *b, *first;

	setup_pair(&a, &b);
	first = selected();
	cfqx_entity_charge(&first->entity, sim.slice - 1);
	cfqx_entity_end_slice(&first->entity);
	cfqx_entity_charge(&selected()->entity, 2 * sim.slice);
	expect(selected() == first, "not chosen though it is behind");
	cfqx_entity_charge(&first->entity, sim.slice - 1);
	expect(selected() == first, "the old slice was counted");
}

static void test_dry(void)
{
	struct sim_node *a, *b, *first;

	setup_pair(&a, &b);
	first = selected();
	sim_sleep(&sim, first);
	expect(selected() == (first == a ? b : a), "the other is not served");
	sim_wake(&sim, first);
	expect(selected() != first, "whoever ran dry took the device back");
	sim_sleep(&sim, a);
	sim_sleep(&sim, b);
	expect(!selected(), "somebody is chosen though nobody has work");
}

/* Among those that are level, who came first is first. */
static void test_order_of_arrival(void)
{
	struct sim_node *node;
	unsigned int i;

	sim_init(&sim, 1, 0);
	for (i = 0; i < 10; i++)
		sim_add(&sim, NULL, 100, true);
	for (i = 0; i < 10; i++)
		sim_wake(&sim, &sim.node[i * 7 % 10]);
	for (i = 0; i < 10; i++) {
		node = selected();
		expect(node == &sim.node[i * 7 % 10], "%td is the %uth",
		       node - sim.node, i);
		cfqx_entity_charge(&node->entity, sim.slice);
	}
}

/* The length is read when it matters: it is a tunable. */
static void test_length_changes(void)
{
	struct sim_node *a, *b, *first;

	setup_pair(&a, &b);
	first = selected();
	cfqx_entity_charge(&first->entity, sim.slice / 2);
	sim.slice /= 4;
	expect(selected() != first, "a shorter slice was not heeded");
	sim.slice = 0;
	first = selected();
	cfqx_entity_charge(&first->entity, NSEC_PER_SEC);
	expect(selected() != first, "kept the device without a slice");
}

/* Two groups of a leaf each. */
static void setup_groups(struct sim_node *group[2], struct sim_node *leaf[2])
{
	unsigned int i;

	sim_init(&sim, 1, 0);
	for (i = 0; i < 2; i++) {
		group[i] = sim_add(&sim, NULL, 100, false);
		leaf[i] = sim_add(&sim, group[i], 100, true);
	}
}

/* Whom somebody waits for comes in between, if it is due, but not at once. */
static void test_urgent(void)
{
	struct sim_node *group[2], *leaf[2];

	setup_groups(group, leaf);
	leaf[1]->entity.urgent = true;
	sim_wake(&sim, leaf[0]);
	cfqx_entity_charge(&selected()->entity, sim.slice / 5);
	sim_wake(&sim, leaf[1]);
	expect(sim.top.nr_urgent == 1, "not counted at the top");
	expect(selected() == leaf[0], "came in after a fifth of a slice");
	cfqx_entity_charge(&leaf[0]->entity, sim.slice / 4);
	expect(selected() == leaf[1], "not after nine twentieths");

	cfqx_entity_charge(&leaf[1]->entity, sim.slice * 3 / 4);
	expect(selected() == leaf[1], "write-back came in between");
	cfqx_entity_charge(&leaf[1]->entity, 10 * sim.slice);
	expect(selected() == leaf[0], "kept the device after its slice");
	cfqx_entity_charge(&leaf[0]->entity, sim.slice / 2);
	expect(selected() == leaf[0], "came in though it had too much");

	sim_sleep(&sim, leaf[1]);
	sim_sleep(&sim, leaf[1]);
	expect(!sim.top.nr_urgent, "still counted after it ran dry");
}

/* The first of a tree is chosen at once, and whatever it had. */
static void test_first(void)
{
	struct sim_node *group[2], *leaf[2];
	unsigned int i;

	setup_groups(group, leaf);
	sim.top.first = &group[1]->entity;
	sim_wake(&sim, leaf[0]);
	expect(selected() == leaf[0], "who has no work is chosen");
	cfqx_entity_charge(&leaf[0]->entity, 1);
	sim_wake(&sim, leaf[1]);
	for (i = 0; i < 100; i++) {
		expect(selected() == leaf[1], "not chosen after %u slices", i);
		cfqx_entity_charge(&leaf[1]->entity, sim.slice);
	}
	sim_sleep(&sim, leaf[1]);
	expect(selected() == leaf[0], "who has no work is chosen still");
}

/* What the next choice tells of the top level, which it changes. */
static bool change_is(struct sim_node *ended, enum cfqx_slice_end end, s64 used,
		      struct sim_node *begun)
{
	struct cfqx_changes changes = { 0 };

	cfqx_tree_select_changes(&sim.top, &changes);
	if (!changes.nr)
		return !begun;
	return begun && changes.change[0].begun == &begun->entity &&
	       changes.change[0].ended == (ended ? &ended->entity : NULL) &&
	       (!ended || (changes.change[0].end == end &&
			   changes.change[0].used == used));
}

/* A choice tells whose slice ended, why, and whose begins. */
static void test_changes(void)
{
	struct sim_node *group[2], *leaf[2];
	s64 slice;

	setup_groups(group, leaf);
	slice = sim.slice;
	leaf[1]->entity.urgent = true;
	sim_wake(&sim, leaf[0]);
	expect(change_is(NULL, 0, 0, group[0]), "the first");
	cfqx_entity_charge(&leaf[0]->entity, slice / 2);
	expect(change_is(NULL, 0, 0, NULL), "nothing changed");
	sim_wake(&sim, leaf[1]);
	expect(change_is(group[0], CFQX_END_DUE, slice / 2, group[1]),
	       "whom somebody waits for");
	cfqx_entity_charge(&leaf[1]->entity, slice + 1);
	expect(change_is(group[1], CFQX_END_USED, slice + 1, group[0]),
	       "used up");
	cfqx_entity_charge(&leaf[0]->entity, 1);
	sim.top.first = &group[1]->entity;
	expect(change_is(group[0], CFQX_END_FIRST, 1, group[1]),
	       "always first");
	sim_sleep(&sim, leaf[0]);
	cfqx_entity_charge(&leaf[1]->entity, slice);
	expect(change_is(group[1], CFQX_END_USED, slice, group[1]),
	       "alone, it goes on");
	sim_sleep(&sim, leaf[1]);
	expect(change_is(NULL, 0, 0, NULL), "nobody has work");
	sim_wake(&sim, leaf[0]);
	expect(change_is(NULL, 0, 0, group[0]), "who ran dry was told of");
}

/* Deeper than there is room for: what fits in is right, and nothing else. */
static void test_changes_deep(void)
{
	struct sim_node *node[CFQX_CHANGES + 4];
	struct cfqx_changes changes = { 0 };
	unsigned int i;

	sim_init(&sim, 1, 0);
	for (i = 0; i < CFQX_CHANGES + 4; i++)
		node[i] = sim_add(&sim, i ? node[i - 1] : NULL, 100,
				  i == CFQX_CHANGES + 3);
	sim_wake_all(&sim);
	expect(cfqx_tree_select_changes(&sim.top, &changes) ==
	       &node[CFQX_CHANGES + 3]->entity, "not the leaf");
	expect(changes.nr == CFQX_CHANGES, "%u levels", changes.nr);
	for (i = 0; i < changes.nr; i++)
		expect(changes.change[i].begun == &node[i]->entity,
		       "level %u", i);
}

/* Two subtrees of two leaves. */
static void test_levels(void)
{
	struct sim_node *group[2], *leaf[4], *first, *next;
	unsigned int i;

	sim_init(&sim, 1, 0);
	for (i = 0; i < 2; i++)
		group[i] = sim_add(&sim, NULL, 100, false);
	for (i = 0; i < 4; i++)
		leaf[i] = sim_add(&sim, group[i / 2], 100, true);
	sim_wake_all(&sim);
	first = selected();
	cfqx_entity_charge(&first->entity, sim.slice / 2);
	cfqx_entity_end_slice(&first->entity);
	next = selected();
	expect(next != first && next->parent == first->parent,
	       "the end of a leaf's slice ended its group's");
	cfqx_entity_charge(&next->entity, sim.slice / 2);
	expect(selected()->parent != first->parent,
	       "the group kept the device after its slice");
	cfqx_entity_end_slice(&selected()->parent->entity);
	cfqx_entity_charge(&selected()->entity, 2 * sim.slice);
	expect(selected() == next, "a leaf's slice ended with its group's");
	for (i = 0; i < 4; i++)
		sim_sleep(&sim, leaf[i]);
	expect(!selected(), "somebody is chosen though nobody has work");
}

static const struct unit_test tests[] = {
	TEST("who is chosen is kept until its slice is charged",
	     test_kept_until_charged),
	TEST("only its own charges use a slice", test_others_do_not_use_it),
	TEST("end_slice makes a new choice", test_end_slice),
	TEST("a slice that is mostly over is given up, once", test_give_way),
	TEST("slices above are given up as well", test_give_way_above),
	TEST("a new slice is whole", test_new_slice_is_whole),
	TEST("who runs dry loses the rest of its slice", test_dry),
	TEST("equal ones are served in the order they came",
	     test_order_of_arrival),
	TEST("a new length counts at once", test_length_changes),
	TEST("whom somebody waits for comes in between", test_urgent),
	TEST("the first of a tree is chosen whatever it had", test_first),
	TEST("a choice tells what it changes", test_changes),
	TEST("it tells of as many levels as there is room for",
	     test_changes_deep),
	TEST("slices of two levels end independently", test_levels),
	{ }
};

const struct unit_suite slices_suite = { "slices", tests };
