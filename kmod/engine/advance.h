/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the last event to the next, as far as triggers allow */
#ifndef _SOFTPT_ENGINE_ADVANCE_H
#define _SOFTPT_ENGINE_ADVANCE_H

#include "state.h"

bool softpt_advance(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s);
bool softpt_trigger_too_late(struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_ADVANCE_H */
