/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When what the ring holds is to freeze, after a trigger event */
#ifndef _SOFTPT_ENGINE_FREEZE_H
#define _SOFTPT_ENGINE_FREEZE_H

#include "../state.h"

/* What it wants frozen is to be frozen before the next event is given. */
static inline bool softpt_trigger_due(const struct softpt_triggers *t)
{
	return t->freezing == SOFTPT_FREEZE_DUE;
}

/* It was frozen, for a trigger or not: TEs are counted, and freeze nothing. */
static inline void softpt_trigger_frozen(struct softpt_triggers *t)
{
	t->freezing = SOFTPT_FREEZE_DONE;
}

/**
 * softpt_trigger_rearm() - it runs on: the next TE may freeze it again
 * @e: the unit
 *
 * What follows is read without what was before: a PSB+ is due.
 */
void softpt_trigger_rearm(struct softpt_engine *e);

/* The TE was now: so much more is to come. */
void softpt_trigger_freeze(struct softpt_engine *e, const struct softpt_trigger *set);
/* An event is over, its bytes counted: is it the last that belongs to the TE? */
void softpt_trigger_settle(struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_FREEZE_H */
