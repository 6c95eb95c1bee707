/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is pending: TNT bits, and that the core clock has changed */
#ifndef _SOFTPT_ENGINE_TNT_H
#define _SOFTPT_ENGINE_TNT_H

#include "../state.h"

void softpt_tnt_flush_slow(struct softpt_engine *e, struct softpt_sink *s);
void softpt_put_unknown_ratio_slow(struct softpt_engine *e, struct softpt_sink *s);

static inline void softpt_tnt_flush(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->ntnt)
		softpt_tnt_flush_slow(e, s);
}

static inline void softpt_put_unknown_ratio(struct softpt_engine *e, struct softpt_sink *s)
{
	if (unlikely(e->ratio_unknown))
		softpt_put_unknown_ratio_slow(e, s);
}

#endif /* _SOFTPT_ENGINE_TNT_H */
