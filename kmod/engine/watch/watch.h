/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters and triggers while packets are written. What is counted comes as `pmu` events, or by
 * softpt_count() from a source; what the class `trace` counts is done in the engine.
 */
#ifndef _SOFTPT_ENGINE_WATCH_H
#define _SOFTPT_ENGINE_WATCH_H

#include "../state.h"

/**
 * softpt_count_slow() - softpt_count() of a class that is wanted
 * @e: the engine
 * @event_class: 0 to 63
 * @submask: the subclasses that the event belongs to
 * @n: how often it happened in this clock, or clocks of a duration
 */
void softpt_count_slow(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

/**
 * softpt_count() - something happened that counters may count
 * @e: the engine; its thread and CPL qualify
 * @event_class: 0 to 63
 * @submask: the subclasses that it belongs to
 * @n: how often it happened in this clock, or clocks of a duration
 */
static inline void softpt_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	if (unlikely(e->counters.wanted >> event_class & 1))
		softpt_count_slow(e, event_class, submask, n);
}

/* For the engine: count packets and MTCs since the last call, with thread and CPL of now. */
void softpt_count_trace(struct softpt_engine *e);
/* For the engine: other counters run, or other triggers are armed. */
void softpt_wanted_update(struct softpt_engine *e);

/**
 * softpt_count_control() - stop, clear and start counters, all at one instant
 * @e: the engine
 * @tsc: the instant, not before the last event
 * @args: accepted by softpt_count_check()
 */
void softpt_count_control(struct softpt_engine *e, u64 tsc, const struct softpt_count_args *args);

/**
 * softpt_counters_adopt() - give an engine counters that were set elsewhere
 * @e: the engine
 * @c: copied, values and all
 */
void softpt_counters_adopt(struct softpt_engine *e, const struct softpt_counters *c);

#endif /* _SOFTPT_ENGINE_WATCH_H */
