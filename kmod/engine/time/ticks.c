// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Periodic timing: MTC ticks through the suppressor, TSC and TMA anchors */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "cycles.h"
#include "ticks.h"

/* @tick is the next tick. */
static void ticks_from(struct softpt_engine *e, u64 tick)
{
	softpt_tick_seek(&e->mtc.ticks, &e->mtc.next, tick);
	softpt_due_update(e);
}

/* Ticks begin with the first after @tsc. */
void softpt_ticks_start(struct softpt_engine *e, u64 tsc)
{
	if (e->flags & SOFTPT_F_MTC)
		ticks_from(e, softpt_tick_of_tsc(e->mtc.ticks.p, e->mtc.ticks.mtc_freq, tsc) + 1);
}

void softpt_ticks_stop(struct softpt_engine *e)
{
	e->mtc.next.tsc = U64_MAX;
	softpt_due_update(e);
}

/* Keep the last of @n suppressed ticks that begin at the next, for the pre-roll */
static void shadow_keep(struct softpt_engine *e, u64 n)
{
	unsigned int keep = min_t(u64, e->cfg.preroll, n);
	unsigned int stay = min_t(unsigned int, e->shadow.n, e->cfg.preroll - keep);
	unsigned int i;

	for (i = 0; i < stay; i++)
		e->shadow.tick[i] = e->shadow.tick[e->shadow.n - stay + i];
	for (i = 0; i < keep; i++) {
		u64 tick = e->mtc.next.index + n - keep + i;
		u64 tsc = softpt_tsc_of_tick(e->mtc.ticks.p, e->mtc.ticks.mtc_freq, tick);

		e->shadow.tick[stay + i].payload = tick;
		e->shadow.tick[stay + i].cycles = softpt_cycles_at(e, tsc);
	}
	e->shadow.n = stay + keep;
}

void softpt_ticks_suppress(struct softpt_engine *e, u64 tsc)
{
	u64 owed = softpt_ticks_owed(e, tsc);
	u64 n = softpt_suppressor_suppress(&e->mtc.sup, e->mtc.next.index, owed);

	if (!n)
		return;
	if (e->cfg.preroll)
		shadow_keep(e, n);
	if (likely(n <= U32_MAX)) {
		softpt_ticks_suppressed(e, n);
		return;
	}
	e->counts.mtc_suppressed += n;
	e->mtc.missing += n;
	ticks_from(e, e->mtc.next.index + n);
}

/* The last suppressed CYC and MTC pairs are sent late. They do not count towards the threshold. */
void softpt_preroll(struct softpt_engine *e, struct softpt_sink *s)
{
	unsigned int i, n = e->shadow.n;
	u64 sent = 0;

	softpt_cycles_settle(e, e->now);
	softpt_put_unknown_ratio(e, s);
	for (i = 0; i < n; i++) {
		u64 cycles = e->shadow.tick[i].cycles - sent;

		if ((e->flags & SOFTPT_F_CYC) && cycles >= e->cycles.thresh) {
			softpt_put_cyc(e, s, cycles);
			sent += cycles;
		}
		softpt_put_mtc(e, s, e->shadow.tick[i].payload);
		softpt_mtcs_sent(e, 1);
	}
	e->mtc.left = e->mtc.sup.full;
	e->counts.mtc_suppressed -= n;
	e->counters.late += n;
	e->cycles.n -= sent;
	if (sent)
		softpt_cycles_start(e, e->now);
}

/* TSC and TMA of @tsc: an anchor */
void softpt_put_tsc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	u64 ctc;

	if (!(e->flags & SOFTPT_F_TSC))
		return;
	e->mtc.missing = 0;
	e->mtc.left = e->mtc.sup.full;
	e->shadow.n = 0;
	softpt_put(e, s, SOFTPT_OPC_TSC | tsc << 8, SOFTPT_SIZE_TSC);
	if (e->flags & SOFTPT_F_MTC) {
		ctc = softpt_ctc_of_tsc(e->mtc.ticks.p, tsc);
		/* byte 4 is reserved, the fast counter has 9 bits */
		softpt_put_ext(e, s, SOFTPT_EXT_TMA,
			       (ctc & 0xffff) |
			       (tsc - softpt_tsc_of_ctc(e->mtc.ticks.p, ctc)) << 24, 5);
	}
	e->anchor.end = softpt_bytes(e, s);
	e->anchor.tsc = tsc;
}

/* [CYC] TSC TMA, now */
void softpt_anchor(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_tnt_flush(e, s);
	if (!(e->flags & SOFTPT_F_TSC))
		return;
	softpt_put_unknown_ratio(e, s);
	softpt_cyc(e, s, e->now, e->cycles.thresh);
	softpt_put_tsc(e, s, e->now);
}

/* A decoder cannot know whether MTCs are missing since the last one. */
static bool in_doubt(const struct softpt_engine *e)
{
	return !e->mtc.left && e->mtc.sup.credit;
}

/*
 * Before a stop: pending TNT bits, and the closing anchor if an MTC is missing since the last
 * one or if a decoder cannot know that none is missing.
 */
void softpt_flush_anchored(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->mtc.missing || in_doubt(e))
		softpt_anchor(e, s);
	else
		softpt_tnt_flush(e, s);
}

/* TSC ticks of a live gap that owes softpt_live_gap_bytes() */
static u64 live_limit(const struct softpt_engine *e)
{
	u64 pairs = softpt_live_gap_bytes(e) / (e->flags & SOFTPT_F_CYC ? 6 : 2);
	u64 ticks = pairs;

	if (e->mtc.sup.threshold) {
		if (e->mtc.sup.resume == SOFTPT_RESUME_TSC)
			return U64_MAX;
		ticks *= e->mtc.sup.resume == SOFTPT_RESUME_COUNT ? e->mtc.sup.value + 1 : 256;
		ticks /= e->mtc.sup.burst;
	}
	return ticks * e->mtc.ticks.span;
}

void softpt_ticks_init(struct softpt_engine *e)
{
	if (e->cfg.resume == SOFTPT_RESUME_TSC)
		e->cfg.preroll = 0;	/* its TSC has the time */
	softpt_ticks_set(&e->mtc.ticks, (struct softpt_ratio){ e->cfg.tsc_ebx, e->cfg.tsc_eax },
			 e->cfg.mtc_freq);
	e->mtc.next.tsc = U64_MAX;
	e->stop.resume_at = U64_MAX;
	e->due = U64_MAX;
	softpt_suppressor_init(&e->mtc.sup, &e->cfg);
	e->mtc.left = e->mtc.sup.full;
	e->mtc.gap_max = live_limit(e);
	if (!(e->flags & SOFTPT_F_CYC) && !e->cfg.preroll)
		e->mtc.plain_span = min_t(u64, e->mtc.gap_max, U32_MAX);
}
