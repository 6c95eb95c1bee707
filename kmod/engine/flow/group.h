/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What precedes the packets of an event */
#ifndef _SOFTPT_ENGINE_GROUP_H
#define _SOFTPT_ENGINE_GROUP_H

#include "../state.h"

/* What may precede the packets of an event depends on these. */
enum softpt_group_begin {
	SOFTPT_GROUP_CYC	= 1 << 0,	/* its first packet is CYC-eligible */
	SOFTPT_GROUP_BIT	= 1 << 1,	/* a TNT bit is appended, nothing flushed */
	SOFTPT_GROUP_STOP	= 1 << 2,	/* it causes a stop: closing anchor */
};

void softpt_put_preceding(struct softpt_engine *e, struct softpt_sink *s);
void softpt_group_begin_slow(struct softpt_engine *e, struct softpt_sink *s, unsigned int how);
void softpt_put_apart(struct softpt_engine *e, struct softpt_sink *s);

/* Begin the packets of an event. Most have nothing before them. */
static inline void softpt_group_begin(struct softpt_engine *e, struct softpt_sink *s,
				      unsigned int how)
{
	bool bit = (how & SOFTPT_GROUP_BIT) && e->ntnt;

	if (likely(!(e->mtc.missing && e->fills_gap) && !softpt_psb_due(e, s) &&
		   !(how & SOFTPT_GROUP_STOP) &&
		   (bit || (!e->ntnt && !e->ratio_unknown && !e->checks_group))))
		softpt_suppressor_ntp(&e->mtc.sup);
	else
		softpt_group_begin_slow(e, s, how);
}

#endif /* _SOFTPT_ENGINE_GROUP_H */
