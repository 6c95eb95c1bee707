/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When the ring is frozen, after a trigger event */
#ifndef _SOFTPT_ENGINE_FREEZE_H
#define _SOFTPT_ENGINE_FREEZE_H

#include "../state.h"

/* The owner must freeze the ring before it gives the engine the next event. */
static inline bool softpt_trigger_due(const struct softpt_triggers *t)
{
	return t->freezing == SOFTPT_FREEZE_DUE;
}

/* The ring was frozen, for a trigger or not: from now on TEs are counted and freeze nothing. */
static inline void softpt_trigger_frozen(struct softpt_triggers *t)
{
	t->freezing = SOFTPT_FREEZE_DONE;
}

/**
 * softpt_trigger_rearm() - the ring runs on, and the next TE may freeze it again
 * @e: the engine
 *
 * What follows is read alone, so a PSB+ is due.
 */
void softpt_trigger_rearm(struct softpt_engine *e);

/* For trigger.c: a TE happened now. Compute when the ring is frozen. */
void softpt_trigger_freeze(struct softpt_engine *e, const struct softpt_trigger *set);
/* For trigger.c: an event is over, and its bytes are counted. Is the ring to be frozen now? */
void softpt_trigger_settle(struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_FREEZE_H */
