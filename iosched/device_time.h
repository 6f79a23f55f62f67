/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Device time: every nanosecond the device works is charged once.
 *
 * Locking: none of its own, see device_time.c.
 */
#ifndef CFQX_DEVICE_TIME_H
#define CFQX_DEVICE_TIME_H

#include <linux/types.h>

/* A ticket has this many bits that count; a request is done before they wrap. */
#define CFQX_TICKET_BITS	48

/* One unit of work is a small request; each so many bytes add another. */
#define CFQX_UNIT_BYTES		16384U

/**
 * struct cfqx_device_time - the clock of one device
 * @last_event: when time was last accounted (ns)
 * @busy: device time charged so far (ns)
 * @integral: shared devices: time per unit of work in flight, << shift
 * @remainder: shared devices: time << shift not yet in @integral: what could
 *	not be divided, and what requests gave back
 * @fraction: shared devices: time << shift, below 1 ns, not yet charged
 * @units: shared devices: units of work in flight
 * @in_flight: requests in the driver that the elevator sent
 * @shared: the device works on several requests at once
 */
struct cfqx_device_time {
	u64 last_event;
	u64 busy;
	u64 integral;
	u64 remainder;
	u32 fraction;
	unsigned int units;
	unsigned int in_flight;
	bool shared;
};

void cfqx_time_init(struct cfqx_device_time *dt, u64 now, bool shared);
unsigned int cfqx_time_units(unsigned int sectors);
u64 cfqx_time_idle(struct cfqx_device_time *dt, u64 now);
u64 cfqx_time_dispatch(struct cfqx_device_time *dt, u64 now,
		       unsigned int units);
u64 cfqx_time_complete(struct cfqx_device_time *dt, u64 now, u64 ticket,
		       unsigned int units);
u64 cfqx_time_foreign(struct cfqx_device_time *dt, u64 now, u64 started);
void cfqx_time_forget(struct cfqx_device_time *dt, u64 now, u64 ticket,
		      unsigned int units);

#endif /* CFQX_DEVICE_TIME_H */
