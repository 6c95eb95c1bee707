/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cycle counter and CYC packets */
#ifndef _SOFTPT_ENGINE_CYCLES_H
#define _SOFTPT_ENGINE_CYCLES_H

#include "../state.h"

void softpt_cycles_init(struct softpt_engine *e);
void softpt_cycles_settle(struct softpt_engine *e, u64 tsc);
void softpt_cycles_start(struct softpt_engine *e, u64 tsc);
void softpt_cycles_stop(struct softpt_engine *e, u64 tsc);
void softpt_cycles_ratio(struct softpt_engine *e, u64 tsc, u8 ratio);
void softpt_cycles_wrap(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);
u64 softpt_cycles_at(const struct softpt_engine *e, u64 tsc);
void softpt_cyc_slow(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh);

/* A CYC packet, if at least @thresh cycles have elapsed since the last */
static inline void softpt_cyc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh)
{
	if (e->flags & SOFTPT_F_CYC)
		softpt_cyc_slow(e, s, tsc, thresh);
}

#endif /* _SOFTPT_ENGINE_CYCLES_H */
