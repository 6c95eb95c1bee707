/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What precedes the packets of an event */
#ifndef _SOFTPT_ENGINE_OPEN_H
#define _SOFTPT_ENGINE_OPEN_H

#include "../state.h"

/* What comes before the packets of an event */
enum softpt_open {
	SOFTPT_OPEN_CYC		= 1 << 0,	/* its first packet is CYC-eligible */
	SOFTPT_OPEN_BIT		= 1 << 1,	/* a TNT bit is appended, nothing flushed */
	SOFTPT_OPEN_STOP	= 1 << 2,	/* it causes a stop: closing anchor */
};

void softpt_begin(struct softpt_engine *e, struct softpt_sink *s);
void softpt_open_slow(struct softpt_engine *e, struct softpt_sink *s, unsigned int how);
void softpt_put_apart(struct softpt_engine *e, struct softpt_sink *s);

/* Mostly nothing precedes the packets of an event. */
static inline void softpt_open(struct softpt_engine *e, struct softpt_sink *s, unsigned int how)
{
	bool bit = (how & SOFTPT_OPEN_BIT) && e->ntnt;

	if (likely(!(e->missing && e->heals) && !softpt_psb_due(e, s) &&
		   !(how & SOFTPT_OPEN_STOP) &&
		   (bit || (!e->ntnt && !e->unannounced && !e->careful))))
		softpt_suppressor_ntp(&e->sup);
	else
		softpt_open_slow(e, s, how);
}

#endif /* _SOFTPT_ENGINE_OPEN_H */
