/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Durations that have a begin and an end: `pmu CLASS SUBMASK begin` and `end`. Each clock in
 * which the condition holds is counted with the thread and CPL of that clock (US 7,448,025).
 */
#ifndef _SOFTPT_ENGINE_DURATION_H
#define _SOFTPT_ENGINE_DURATION_H

#include "../state.h"

/**
 * softpt_durations_settle() - count clocks up to a time, without an event
 * @e: the engine
 * @tsc: not before the last event; the clock that it lies in is not counted yet
 */
void softpt_durations_settle(struct softpt_engine *e, u64 tsc);

/* For event.c: count clocks up to an event, while a condition holds. */
void softpt_durations_pass(struct softpt_engine *e, const struct softpt_event *ev);
/* For event.c: a condition begins or ends. */
void softpt_duration(struct softpt_engine *e, const struct softpt_event *ev);

#endif /* _SOFTPT_ENGINE_DURATION_H */
