/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Triggers (US 5,996,092): something happens for the Nth time, which is a trigger event
 * (TE). The stream has a mark for the TE, and the ring may be frozen some time after it.
 *
 * The engine finds TEs and the time to freeze; the owner of the ring freezes it.
 * (Documentation/reference/trigger.rst)
 */
#ifndef _SOFTPT_ENGINE_TRIGGER_H
#define _SOFTPT_ENGINE_TRIGGER_H

#include <softpt/triggers.h>
#include "../state.h"

/**
 * softpt_set_trigger() - set what a trigger waits for
 * @t: the triggers
 * @trigger: number and content; @trigger->size is not checked
 * @why: set to the reason of an error
 *
 * Return: 0, or the error of softpt_trigger_check(): -EINVAL.
 */
int softpt_set_trigger(struct softpt_triggers *t, const struct softpt_trigger *trigger,
		       const char **why);

/**
 * softpt_triggers_arm() - give an engine triggers that were set elsewhere, and arm them
 * @e: the engine
 * @t: what they are set to is copied, nothing else
 *
 * This may come before the enabling event, which may be the first hit then.
 */
void softpt_triggers_arm(struct softpt_engine *e, const struct softpt_triggers *t);

/**
 * softpt_trigger_demand() - a hit of SOFTPT_ON_DEMAND
 * @e: the engine; the next event takes the hit
 *
 * Return: false when no trigger waits for a demand.
 */
bool softpt_trigger_demand(struct softpt_engine *e);

/**
 * softpt_trigger_pending() - hits wait for the next event
 * @e: the engine
 *
 * Return: true after a demand, or when a counter of a trigger has overflowed.
 */
bool softpt_trigger_pending(const struct softpt_engine *e);

/* For event.c: an event has happened. */
void softpt_trigger_event(struct softpt_engine *e, const struct softpt_event *ev,
			  struct softpt_sink *s);
/* For watch.c: triggers wait for the class; softpt_trigger_event() takes the hits. */
void softpt_trigger_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

#endif /* _SOFTPT_ENGINE_TRIGGER_H */
