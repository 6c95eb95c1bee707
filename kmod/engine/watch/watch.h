/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What looks on while packets are made: counters, triggers. What counts comes as `pmu` events, or by
 * softpt_count() from a source that sees it happen; the class `trace` the engine knows by itself.
 */
#ifndef _SOFTPT_ENGINE_WATCH_H
#define _SOFTPT_ENGINE_WATCH_H

#include "../state.h"

/**
 * softpt_count_slow() - softpt_count() of a class that is wanted
 * @e: the unit
 * @event_class: 0 to 63
 * @submask: the subclasses that the event belongs to
 * @n: occurrences in this clock, or clocks of a duration
 */
void softpt_count_slow(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

/**
 * softpt_count() - something happened that counters may count
 * @e: the unit; its thread and CPL qualify
 * @event_class: 0 to 63
 * @submask: the subclasses that it belongs to
 * @n: occurrences in this clock, or clocks of a duration
 */
static inline void softpt_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	if (unlikely(e->counters.wanted >> event_class & 1))
		softpt_count_slow(e, event_class, submask, n);
}

/* What the engine has done since this was last asked is counted. */
void softpt_count_trace(struct softpt_engine *e);
/* Other counters run, or other triggers are armed. */
void softpt_wanted_update(struct softpt_engine *e);

/**
 * softpt_count_control() - stop, clear and start counters, all at one instant
 * @e: the unit
 * @tsc: the instant, not before the unit's last event
 * @args: accepted by softpt_count_check()
 */
void softpt_count_control(struct softpt_engine *e, u64 tsc, const struct softpt_count_args *args);

/**
 * softpt_counters_adopt() - give a unit counters that were set elsewhere
 * @e: the unit
 * @c: copied, values and all
 */
void softpt_counters_adopt(struct softpt_engine *e, const struct softpt_counters *c);

#endif /* _SOFTPT_ENGINE_WATCH_H */
