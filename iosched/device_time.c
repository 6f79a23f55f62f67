// SPDX-License-Identifier: GPL-2.0
/*
 * Device time: what one request cost the device.
 *
 * A device that seeks works on one request at a time, whatever it has queued.
 * So the time between two completions belongs to the request that completed
 * last: its seek, its rotation, its transfer.  That needs one time stamp for
 * the device and none per request.
 *
 * A device without moving parts works on many requests at once.  There every
 * interval is divided among the units of work in flight.  The integral of
 * (time / units in flight) grows at each event; what it grew while a request
 * was in flight, times the request's units, is that request's part.  Again
 * O(1), and the parts add up to the busy time exactly (but for the last ns).
 *
 * Time with nothing in flight is nobody's, unless the caller says for whom the
 * device was kept idle (cfqx_time_idle).
 *
 * Locking: cfqx_data.lock.  No allocation, no clock of its own.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "device_time.h"

#define INTEGRAL_SHIFT	10

/**
 * cfqx_time_init - start the clock of a device
 * @dt: the clock
 * @now: current time (ns)
 * @shared: the device works on several requests at once
 */
void cfqx_time_init(struct cfqx_device_time *dt, u64 now, bool shared)
{
	*dt = (struct cfqx_device_time) {
		.last_event = now,
		.shared = shared,
	};
}

/**
 * cfqx_time_units - the work a request is, on a shared device
 * @sectors: its size
 *
 * Return: at least one.
 */
unsigned int cfqx_time_units(unsigned int sectors)
{
	return 1 + sectors / (CFQX_UNIT_BYTES >> 9);
}

/*
 * Account the interval that ends now to what was in flight during it.  What
 * cannot be divided is left for the next interval: a fast device has so many
 * events that it would add up.
 */
static void advance(struct cfqx_device_time *dt, u64 now)
{
	u64 ns = now > dt->last_event ? now - dt->last_event : 0;
	u32 remainder;

	if (dt->units) {
		dt->integral += div_u64_rem((ns << INTEGRAL_SHIFT) +
					    dt->remainder, dt->units,
					    &remainder);
		dt->remainder = remainder;
	}
	dt->last_event += ns;
}

/* What one request had since @ticket, in ns << INTEGRAL_SHIFT. */
static u64 scaled_part(const struct cfqx_device_time *dt, u64 ticket,
		       unsigned int units)
{
	return ((dt->integral - ticket) & ((1ULL << CFQX_TICKET_BITS) - 1)) *
	       units;
}

/* The same in ns; fractions are carried over. */
static u64 shared_part(struct cfqx_device_time *dt, u64 ticket,
		       unsigned int units)
{
	u64 part = scaled_part(dt, ticket, units) + dt->fraction;

	dt->fraction = part & ((1U << INTEGRAL_SHIFT) - 1);
	return part >> INTEGRAL_SHIFT;
}

/**
 * cfqx_time_idle - close an idle interval
 * @dt: the clock
 * @now: current time (ns)
 *
 * Return: how long (ns) the device has been empty, 0 if it is not.
 */
u64 cfqx_time_idle(struct cfqx_device_time *dt, u64 now)
{
	u64 ns;

	if (dt->in_flight || now <= dt->last_event)
		return 0;
	ns = now - dt->last_event;
	dt->last_event = now;
	return ns;
}

/**
 * cfqx_time_dispatch - a request goes to the driver
 * @dt: the clock; an idle interval must have been closed before
 * @now: current time (ns)
 * @units: its cfqx_time_units()
 *
 * Return: the ticket to give to cfqx_time_complete().
 */
u64 cfqx_time_dispatch(struct cfqx_device_time *dt, u64 now,
		       unsigned int units)
{
	if (!dt->in_flight)
		dt->last_event = max(dt->last_event, now);
	if (dt->shared)
		advance(dt, now);
	dt->in_flight++;
	dt->units += units;
	return dt->integral;
}

/**
 * cfqx_time_forget - a request came back without having been served
 * @dt: the clock
 * @now: current time (ns)
 * @ticket: what cfqx_time_dispatch() gave
 * @units: what it was dispatched with
 *
 * A shared device worked on the others in the time that was the request's
 * part.  So it is divided again, among what stays in flight; if nothing does,
 * among what is in flight next.
 */
void cfqx_time_forget(struct cfqx_device_time *dt, u64 now, u64 ticket,
		      unsigned int units)
{
	if (dt->shared) {
		advance(dt, now);
		dt->remainder += scaled_part(dt, ticket, units);
	}
	dt->in_flight--;
	dt->units -= units;
}

/**
 * cfqx_time_complete - a request is done
 * @dt: the clock
 * @now: current time (ns)
 * @ticket: what cfqx_time_dispatch() gave
 * @units: what it was dispatched with
 *
 * Return: the device time (ns) it is to be charged.
 */
u64 cfqx_time_complete(struct cfqx_device_time *dt, u64 now, u64 ticket,
		       unsigned int units)
{
	u64 ns;

	if (dt->shared) {
		advance(dt, now);
		ns = shared_part(dt, ticket, units);
	} else {
		ns = now > dt->last_event ? now - dt->last_event : 0;
		dt->last_event += ns;
	}
	dt->in_flight--;
	dt->units -= units;
	dt->busy += ns;
	return ns;
}

/**
 * cfqx_time_foreign - a request is done that did not pass the elevator
 * @dt: the clock
 * @now: current time (ns)
 * @started: when it was given to the device (ns)
 *
 * Flushes and commit records go past the elevator, yet the device works on
 * them.  On a device that seeks what passed since the last event is theirs.
 *
 * Return: the device time (ns) to be charged to whom they served.
 */
u64 cfqx_time_foreign(struct cfqx_device_time *dt, u64 now, u64 started)
{
	u64 from = dt->last_event;

	if (dt->shared)
		return 0;
	if (!dt->in_flight)
		from = max(from, started);
	if (now <= from)
		return 0;
	dt->last_event = now;
	dt->busy += now - from;
	return now - from;
}
