// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cycle counter and CYC packets (SDM, "Cycle Counter", "Cycle Packet
 * Semantics").
 *
 * Core cycles are TSC ticks times ratio / P1. The fraction of a cycle is kept, over
 * CYC packets and over changes of the ratio, so that the sum of all CYC values is
 * always the floor of what really elapsed. The counter is brought up to date only
 * when someone asks; the TSC before which it can't wrap is known (wrap_at).
 */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "cycles.h"

/* Ticks after which the counter is brought up to date at the latest */
#define SETTLE_SPAN	((u64)1 << 55)

static bool counting(const struct softpt_engine *e)
{
	return e->cyc_tsc != U64_MAX;
}

/* Sum of fraction and elapsed ticks at @tsc, in 1/P1 cycles */
static u64 parts_at(const struct softpt_engine *e, u64 tsc)
{
	return (tsc - e->cyc_tsc) * e->ratio + e->cyc_rem;
}

/* The counter as it is at @tsc: cycles since the last CYC packet */
u64 softpt_cycles_at(const struct softpt_engine *e, u64 tsc)
{
	if (!counting(e))
		return e->cyc;
	if (e->ratio == e->cfg.p1)
		return e->cyc + (tsc - e->cyc_tsc);
	return e->cyc + parts_at(e, tsc) / e->cfg.p1;
}

/*
 * The first TSC at which the counter reaches its maximum. A wide one is looked at
 * before, lest this or the parts that elapse until then exceed 64 bits.
 */
static u64 wrap_exact(const struct softpt_engine *e)
{
	u64 parts = (e->cyc_max - e->cyc) * e->cfg.p1 - e->cyc_rem;

	return e->cyc_tsc + min((parts + e->ratio - 1) / e->ratio, SETTLE_SPAN);
}

void softpt_cycles_settle(struct softpt_engine *e, u64 tsc)
{
	if (!(e->flags & SOFTPT_F_CYC) || !counting(e))
		return;
	if (e->ratio == e->cfg.p1) {
		e->cyc += tsc - e->cyc_tsc;
	} else {
		u64 parts = parts_at(e, tsc);

		e->cyc += parts / e->cfg.p1;
		e->cyc_rem = parts % e->cfg.p1;
	}
	e->cyc_tsc = tsc;
}

/* Ticks in which a counter that starts at zero surely stays below its maximum */
static void span_update(struct softpt_engine *e)
{
	e->cyc_span = min((e->cyc_max * e->cfg.p1 - e->cfg.p1) / e->ratio, SETTLE_SPAN);
}

void softpt_cycles_start(struct softpt_engine *e, u64 tsc)
{
	if (!(e->flags & SOFTPT_F_CYC))
		return;
	e->cyc_tsc = tsc;
	e->wrap_at = e->cyc < e->cyc_max ? wrap_exact(e) : tsc;
	softpt_due_update(e);
}

/* Clocks stop: the counter keeps its value */
void softpt_cycles_stop(struct softpt_engine *e, u64 tsc)
{
	softpt_cycles_settle(e, tsc);
	e->cyc_tsc = U64_MAX;
	e->wrap_at = U64_MAX;
	softpt_due_update(e);
}

void softpt_cycles_ratio(struct softpt_engine *e, u64 tsc, u8 ratio)
{
	bool running = counting(e);

	if (running)
		softpt_cycles_settle(e, tsc);
	e->ratio = ratio;
	span_update(e);
	if (running)
		softpt_cycles_start(e, tsc);
}

/* Time has reached wrap_at: at most one stand-alone CYC for each call */
void softpt_cycles_wrap(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	unsigned int i, n = 0;

	softpt_cycles_settle(e, tsc);
	if (e->cyc >= e->cyc_max) {
		softpt_tnt_flush(e, s);
		softpt_put_unknown_ratio(e, s);
		softpt_put_cyc(e, s, e->cyc_max);
		e->cyc -= e->cyc_max;
		/* A shadow of a tick before this CYC can't be sent any more */
		for (i = 0; i < e->nshadow; i++)
			if (e->shadow[i].cycles >= e->cyc_max) {
				e->shadow[n] = e->shadow[i];
				e->shadow[n++].cycles -= e->cyc_max;
			}
		e->nshadow = n;
	}
	e->wrap_at = e->cyc < e->cyc_max ? wrap_exact(e) : tsc;
	softpt_due_update(e);
}

/* softpt_cyc(), with cyc=1 */
void softpt_cyc_slow(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh)
{
	softpt_cycles_settle(e, tsc);
	if (e->cyc < thresh)
		return;
	softpt_put_cyc(e, s, min(e->cyc, e->cyc_max));
	e->cyc = 0;
	e->nshadow = 0;
	if (counting(e)) {
		e->wrap_at = tsc + e->cyc_span;
		softpt_due_update(e);
	}
}

void softpt_cycles_init(struct softpt_engine *e)
{
	const struct softpt_config *cfg = &e->cfg;

	e->ratio = cfg->p1;
	e->cyc_max = (1ull << cfg->cyc_bits) - 1;
	e->cyc_thresh = cfg->cyc_thresh ? 1u << (cfg->cyc_thresh - 1) : 1;
	e->cyc_tsc = U64_MAX;
	e->wrap_at = U64_MAX;
	span_update(e);
}
