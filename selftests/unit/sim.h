/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated device served by a hierarchy of groups: the service trees and
 * the device clock as the elevator uses them, in simulated time.
 *
 * The device works on one request at a time, of random length, and has up to
 * @depth of them: so a request is charged after the next ones were chosen.
 */
#ifndef UNIT_SIM_H
#define UNIT_SIM_H

#include "device_time.h"
#include "service_tree.h"
#include "unit.h"

#define SIM_NODES	256
#define SIM_DEPTH	4

/**
 * struct sim_node - one group
 * @entity: its place among its siblings
 * @children: the tree its time is divided in, unless it is a leaf
 * @parent: NULL below the top
 * @leaf: has requests, not children
 * @low: least and
 * @high: longest service time of its requests (ns)
 * @time: device time it was charged (ns), with all below it
 * @share: its part of the device if everybody is backlogged, 0 .. 1
 */
struct sim_node {
	struct cfqx_entity entity;
	struct cfqx_service_tree children;
	struct sim_node *parent;
	bool leaf;
	u64 low;
	u64 high;
	u64 time;
	double share;
};

/**
 * struct sim - the device and its groups
 * @top: the topmost tree
 * @clock: the device clock
 * @now: simulated time (ns)
 * @slice: of all groups (ns)
 * @lag: the lag groups keep (ns)
 * @depth: requests in the device at a time
 * @nr_flight: number of requests in @flight
 * @flight: whose requests the device has, oldest first
 * @nr_nodes: number of groups in @node
 * @node: the groups, parents first
 */
struct sim {
	struct cfqx_service_tree top;
	struct cfqx_device_time clock;
	u64 now;
	u64 slice;
	u64 lag;
	unsigned int depth;
	unsigned int nr_flight;
	struct sim_node *flight[SIM_DEPTH];
	unsigned int nr_nodes;
	struct sim_node node[SIM_NODES];
};

#define sim_for_each(sim, n) \
	for (n = (sim)->node; n < (sim)->node + (sim)->nr_nodes; n++)
#define sim_for_each_leaf(sim, n) \
	for (n = sim_leaf(sim, (sim)->node); n; n = sim_leaf(sim, n + 1))

void sim_init(struct sim *sim, unsigned int depth, u64 vdisktime);
struct sim_node *sim_add(struct sim *sim, struct sim_node *parent,
			 unsigned int weight, bool leaf);
struct sim_node *sim_leaf(struct sim *sim, struct sim_node *from);
void sim_random_tree(struct sim *sim, unsigned int max_level,
		     unsigned int max_children);
void sim_entitle(struct sim *sim);
void sim_wake(struct sim *sim, struct sim_node *leaf);
void sim_wake_all(struct sim *sim);
void sim_sleep(struct sim *sim, struct sim_node *leaf);
struct sim_node *sim_serve(struct sim *sim);
void sim_run(struct sim *sim, u64 ns);
void sim_forget_times(struct sim *sim);

#endif /* UNIT_SIM_H */
