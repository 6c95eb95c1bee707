/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Durations that are told as intervals: `pmu CLASS SUBMASK begin` and `end`. Each clock in which
 * the condition holds is counted with the thread and CPL of that clock (US 7,448,025).
 */
#ifndef _SOFTPT_ENGINE_DURATION_H
#define _SOFTPT_ENGINE_DURATION_H

#include "../state.h"

/**
 * softpt_durations_settle() - count the clocks up to a time in which no event is
 * @e: the unit
 * @tsc: not before the unit's last event; the clock in which it lies is not counted yet
 */
void softpt_durations_settle(struct softpt_engine *e, u64 tsc);

/* For the engine's own files: while one lasts an event comes; and begin and end themselves */
void softpt_durations_pass(struct softpt_engine *e, const struct softpt_event *ev);

void softpt_duration(struct softpt_engine *e, const struct softpt_event *ev);

#endif /* _SOFTPT_ENGINE_DURATION_H */
