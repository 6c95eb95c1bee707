/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packet generation begins and ends: enable, disable, overflow, sleep */
#ifndef _SOFTPT_ENGINE_ENABLE_H
#define _SOFTPT_ENGINE_ENABLE_H

#include "../state.h"

void softpt_enable(struct softpt_engine *e, const struct softpt_event *ev,
		   struct softpt_sink *s);
void softpt_disable(struct softpt_engine *e, const struct softpt_event *ev,
		    struct softpt_sink *s);
void softpt_restart(struct softpt_engine *e, struct softpt_sink *s);
void softpt_overflow(struct softpt_engine *e, struct softpt_sink *s, u64 until);
void softpt_overflow_end(struct softpt_engine *e, const struct softpt_event *ev,
			 struct softpt_sink *s, u64 tsc);
void softpt_sleep(struct softpt_engine *e, const struct softpt_event *ev,
		  struct softpt_sink *s);
void softpt_wake(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);

#endif /* _SOFTPT_ENGINE_ENABLE_H */
