/* SPDX-License-Identifier: GPL-2.0-only */
/* An event goes through the unit's engine into its ring: inline, for each one does. */
#ifndef _SOFTPT_PUT_H
#define _SOFTPT_PUT_H

#include "softpt.h"

/* Counters start and stop before the event at hand. One that is closed is told by SOFTPT_COUNT. */
static inline void softpt_unit_recount(struct softpt_unit *unit)
{
	if (unlikely(READ_ONCE(unit->session->count_seq) != unit->count_seq) && unit->open)
		softpt_unit_follow_count(unit);
}

/* Between SOFTPT_ENABLE and SOFTPT_DISABLE, as all events */
static inline bool softpt_unit_takes_events(const struct softpt_unit *unit)
{
	const struct softpt_session *session = unit->session;

	return unit->open && READ_ONCE(session->on) != U64_MAX &&
	       READ_ONCE(session->off) == U64_MAX;
}

/**
 * softpt_unit_count() - something happened that counters may count
 * @unit: of the CPU that this runs on: softpt_session_unit()
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 * @thread: hardware thread
 *
 * Context: interrupts off, on the unit's CPU, not NMI. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
static inline void softpt_unit_count(struct softpt_unit *unit, u8 event_class, u16 submask,
				     u8 cpl, u8 thread)
{
	softpt_unit_recount(unit);
	if (unlikely(unit->engine.counters.wanted >> event_class & 1))
		softpt_unit_count_slow(unit, event_class, submask, cpl, thread);
}

/**
 * softpt_unit_put() - one event, or as much of its gap as there is room for
 * @unit: the unit, owned by the caller
 * @ev: a valid event
 *
 * The room is what is left of that of the last softpt_ring_begin().
 *
 * Return: 0 or SOFTPT_MORE.
 */
static inline int softpt_unit_put(struct softpt_unit *unit, const struct softpt_event *ev)
{
	struct softpt_sink *sink = &unit->sink;
	const u8 *from = sink->cur;
	int ret;

	softpt_unit_recount(unit);
	ret = softpt_engine_event(&unit->engine, ev, sink);
	softpt_ring_commit(&unit->ring, sink->cur - from);
	return ret;
}

/**
 * softpt_unit_shut() - leave no room: the next event does not go on where the last one ended
 * @unit: of this CPU; may be busy, in an NMI
 */
static inline void softpt_unit_shut(struct softpt_unit *unit)
{
	WRITE_ONCE(unit->sink.end, unit->sink.cur);
}

/**
 * softpt_unit_publish() - show the reader counts and flags
 * @unit: the unit, owned by the caller
 */
static inline void softpt_unit_publish(struct softpt_unit *unit)
{
	struct softpt_control *control = unit->ring.control;

	control->counts = unit->engine.counts;
	control->counts.bytes = unit->ring.head;
	WRITE_ONCE(unit->lost, unit->engine.counts.events_lost);
	WRITE_ONCE(control->flags, unit->flags);
	if (unlikely(unit->engine.counters.running))
		softpt_unit_show_counters(unit);
	if (unlikely(unit->engine.triggers.hits != unit->hits))
		softpt_unit_show_triggers(unit);
}

/**
 * softpt_unit_follow_triggers() - freeze, when a trigger wants it
 * @unit: the unit, owned by the caller, who asks after each call of the engine
 */
static inline void softpt_unit_follow_triggers(struct softpt_unit *unit)
{
	if (unlikely(unit->engine.triggers.set))
		softpt_unit_triggered(unit);
}

/**
 * softpt_unit_follow() - what else is to be done after each call of the engine
 * @unit: the unit, owned by the caller
 */
static inline void softpt_unit_follow(struct softpt_unit *unit)
{
	if (unlikely(unit->engine.truth))
		softpt_unit_show_truth(unit);
	softpt_unit_follow_triggers(unit);
}

/**
 * softpt_unit_readable() - whether a reader's wait is over
 * @unit: the unit
 *
 * Return: true with as many bytes as the watermark asks for, with any while somebody
 * waits for room, with a frozen snapshot, and at the end.
 */
static inline bool softpt_unit_readable(const struct softpt_unit *unit)
{
	const struct softpt_ring *ring = &unit->ring;
	u64 pos, unread;

	if (READ_ONCE(unit->flags) & SOFTPT_ST_DONE)
		return true;
	if (ring->snapshot)
		return READ_ONCE(ring->frozen);
	unread = softpt_ring_unread(ring, &pos);
	return unread >= softpt_ring_watermark(ring) || (unread && READ_ONCE(unit->crowded));
}

#endif /* _SOFTPT_PUT_H */
