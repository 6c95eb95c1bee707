/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control flow, and events that have packets of control flow */
#ifndef _SOFTPT_ENGINE_BRANCH_H
#define _SOFTPT_ENGINE_BRANCH_H

#include "../state.h"

void softpt_arrive_slow(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s);
int softpt_flow(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);
int softpt_cr3(struct softpt_engine *e, const struct softpt_event *ev,
	       struct softpt_sink *s);
void softpt_cpl(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);
void softpt_tsx(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);

/* Execution got to the event's address, by a branch or without one. */
static inline void softpt_arrive(struct softpt_engine *e, const struct softpt_event *ev,
				 struct softpt_sink *s)
{
	if (unlikely(e->context.ranges))
		softpt_arrive_slow(e, ev, s);
	e->context.ip = ev->ip;
}

#endif /* _SOFTPT_ENGINE_BRANCH_H */
