/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MTC ticks; inline, for every other event has some before it. */
#ifndef _SOFTPT_ENGINE_TICKS_H
#define _SOFTPT_ENGINE_TICKS_H

#include "../packet/tnt.h"
#include "../state.h"
#include "cycles.h"

void softpt_ticks_init(struct softpt_engine *e);
void softpt_ticks_start(struct softpt_engine *e, u64 tsc);
void softpt_ticks_stop(struct softpt_engine *e);
void softpt_preroll(struct softpt_engine *e, struct softpt_sink *s);
void softpt_put_tsc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);
void softpt_anchor(struct softpt_engine *e, struct softpt_sink *s);
void softpt_flush_anchored(struct softpt_engine *e, struct softpt_sink *s);
/* Suppress the ticks up to @tsc, or up to the tick that resumes; keep some for the pre-roll. */
void softpt_ticks_suppress(struct softpt_engine *e, u64 tsc);

/* A program that waits for room has kept little room for the gap before its last event. */
static inline u32 softpt_live_gap_bytes(const struct softpt_engine *e)
{
	if (!(e->cfg.flags & SOFTPT_F_LOSSLESS))
		return SOFTPT_LIVE_GAP_BYTES;
	return min_t(u64, SOFTPT_LIVE_GAP_BYTES, e->cfg.ring / 16);
}

/* @n MTCs were written: none is missing since. */
static inline void softpt_mtcs_sent(struct softpt_engine *e, u64 n)
{
	e->counts.mtc += n;
	e->mtc.missing = 0;
	e->shadow.n = 0;
}

/*
 * Send the next tick, and further ticks up to @tsc while there are credit and @room bytes. Nothing
 * else is due between them.
 */
static inline void softpt_ticks_send(struct softpt_engine *e, struct softpt_sink *s, u64 tsc,
				     int room)
{
	u8 *p = s->cur;
	u64 n;

	do {
		p[0] = SOFTPT_OPC_MTC;
		p[1] = e->mtc.next.index;
		p += SOFTPT_SIZE_MTC;
		softpt_suppressor_sent(&e->mtc.sup);
		e->now = e->mtc.next.tsc;
		softpt_tick_next(&e->mtc.ticks, &e->mtc.next);
	} while (e->mtc.next.tsc <= tsc && e->mtc.sup.credit && s->end - p >= room);
	e->mtc.left = e->mtc.sup.credit;
	n = (u64)(p - s->cur) / SOFTPT_SIZE_MTC;
	s->cur = p;
	e->counts.packets += n;
	softpt_mtcs_sent(e, n);
	e->due = min(e->mtc.next.tsc, e->wrap_at);
}

/* Send the next tick; without CYC packets, also further ticks up to @tsc. */
static inline void softpt_ticks_emit(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	softpt_tnt_flush(e, s);
	softpt_put_unknown_ratio(e, s);
	if (unlikely(e->flags & SOFTPT_F_CYC)) {
		softpt_cyc_slow(e, s, e->mtc.next.tsc, e->cycles.thresh);
		tsc = 0;
	}
	softpt_ticks_send(e, s, tsc, SOFTPT_STEP_ROOM);
}

/* Number of ticks from the next up to @tsc */
static inline u64 softpt_ticks_owed(const struct softpt_engine *e, u64 tsc)
{
	const struct softpt_ticks *t = &e->mtc.ticks;

	if (tsc - e->mtc.next.tsc < t->span)
		return 1;
	return softpt_tick_of_tsc(t->p, t->mtc_freq, tsc) - e->mtc.next.index + 1;
}

/* Suppress the next @n ticks: fewer than 2^32, so that nothing overflows. */
static inline void softpt_ticks_suppressed(struct softpt_engine *e, u64 n)
{
	e->counts.mtc_suppressed += n;
	e->mtc.missing += n;
	softpt_tick_skip(&e->mtc.ticks, &e->mtc.next, n);
	e->due = min(e->mtc.next.tsc, e->wrap_at);
}

/* softpt_ticks_suppress() without a pre-roll */
static inline void softpt_ticks_suppress_plain(struct softpt_engine *e, u64 tsc)
{
	struct softpt_mtc *m = &e->mtc;
	u64 owed = softpt_ticks_owed(e, tsc);

	softpt_ticks_suppressed(e, softpt_suppressor_suppress(&m->sup, m->next.index, owed));
}

/*
 * Ticks alone are due by @tsc, and they need nothing but to be sent or suppressed. While clocks
 * stand still or packets are lost no tick is due.
 */
static inline bool softpt_are_plain_ticks(const struct softpt_engine *e,
					  const struct softpt_sink *s, u64 tsc)
{
	return e->mtc.next.tsc <= tsc && tsc - e->mtc.next.tsc < e->mtc.plain_span && !e->ntnt &&
	       !e->ratio_unknown && !e->watched &&
	       s->end - s->cur >= SOFTPT_GROUP_MAX + SOFTPT_SIZE_MTC;
}

#endif /* _SOFTPT_ENGINE_TICKS_H */
