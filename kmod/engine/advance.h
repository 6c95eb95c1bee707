/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the last event to the next, as far as triggers allow */
#ifndef _SOFTPT_ENGINE_ADVANCE_H
#define _SOFTPT_ENGINE_ADVANCE_H

#include "state.h"

/*
 * Time passes up to @ev. Return: false when the sink is full before, or when the ring is to be
 * frozen before.
 */
bool softpt_advance(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s);
/*
 * No packet was due between the last event and the current one, at @e->now. Return: true when the
 * ring is to be frozen between them; then the current event does not happen yet.
 */
bool softpt_trigger_too_late(struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_ADVANCE_H */
