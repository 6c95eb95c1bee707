/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Triggers (US 5,996,092): something happens for the Nth time, which is a trigger event
 * (TE). It is marked in the stream, and what the ring holds may freeze some time after it.
 *
 * The unit sees TEs and says when to freeze; who has the ring does it.
 * (Documentation/trigger.rst)
 */
#ifndef _SOFTPT_ENGINE_TRIGGER_H
#define _SOFTPT_ENGINE_TRIGGER_H


#include <softpt/triggers.h>
#include "../state.h"

/**
 * softpt_set_trigger() - what a trigger waits for
 * @t: the triggers
 * @trigger: number and content; its size is not looked at
 * @why: set to what is wrong
 *
 * Return: 0, or -EINVAL.
 */
int softpt_set_trigger(struct softpt_triggers *t, const struct softpt_trigger *trigger,
		       const char **why);

/**
 * softpt_triggers_arm() - give a unit triggers that were set elsewhere, and arm them
 * @e: the unit
 * @t: what they are set to is copied, nothing else
 *
 * A unit may be armed before it is enabled: then the enabling event may be the first hit.
 */
void softpt_triggers_arm(struct softpt_engine *e, const struct softpt_triggers *t);

/**
 * softpt_trigger_demand() - an occurrence of SOFTPT_ON_DEMAND
 * @e: the unit; the next event looks at it
 *
 * Return: false when no trigger waits for that.
 */
bool softpt_trigger_demand(struct softpt_engine *e);

/* Occurrences that wait for the next event, as those of counters do */
bool softpt_trigger_pending(const struct softpt_engine *e);

/* An event has happened. */
void softpt_trigger_event(struct softpt_engine *e, const struct softpt_event *ev,
			  struct softpt_sink *s);
/* Something happened that triggers wait for; softpt_trigger_event() looks at it. */
void softpt_trigger_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

#endif /* _SOFTPT_ENGINE_TRIGGER_H */
