// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cycle counter and CYC packets (SDM, "Cycle Counter", "Cycle Packet
 * Semantics").
 *
 * Core cycles are TSC ticks times ratio / P1. The fraction of a cycle is kept over CYC packets
 * and over changes of the ratio. So the sum of all CYC values is always the floor of the cycles
 * that elapsed. The counter is computed where its value is used; before @wrap_at it does not
 * wrap.
 */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "cycles.h"

/* TSC ticks after which the counter is computed at the latest */
#define SETTLE_SPAN	((u64)1 << 55)

static bool counting(const struct softpt_engine *e)
{
	return e->cycles.tsc != U64_MAX;
}

/* Sum of fraction and elapsed ticks at @tsc, in 1/P1 cycles */
static u64 parts_at(const struct softpt_engine *e, u64 tsc)
{
	return (tsc - e->cycles.tsc) * e->cycles.ratio + e->cycles.rem;
}

/* The counter as it is at @tsc: cycles since the last CYC packet */
u64 softpt_cycles_at(const struct softpt_engine *e, u64 tsc)
{
	if (!counting(e))
		return e->cycles.n;
	if (e->cycles.ratio == e->cfg.p1)
		return e->cycles.n + (tsc - e->cycles.tsc);
	return e->cycles.n + parts_at(e, tsc) / e->cfg.p1;
}

/*
 * The first TSC at which the counter reaches its maximum. A wide counter is computed before, for
 * this sum and the parts of the elapsed cycles must fit into 64 bits.
 */
static u64 wrap_exact(const struct softpt_engine *e)
{
	u64 parts = (e->cycles.max - e->cycles.n) * e->cfg.p1 - e->cycles.rem;

	return e->cycles.tsc + min((parts + e->cycles.ratio - 1) / e->cycles.ratio, SETTLE_SPAN);
}

void softpt_cycles_settle(struct softpt_engine *e, u64 tsc)
{
	if (!(e->flags & SOFTPT_F_CYC) || !counting(e))
		return;
	if (e->cycles.ratio == e->cfg.p1) {
		e->cycles.n += tsc - e->cycles.tsc;
	} else {
		u64 parts = parts_at(e, tsc);

		e->cycles.n += parts / e->cfg.p1;
		e->cycles.rem = parts % e->cfg.p1;
	}
	e->cycles.tsc = tsc;
}

/* TSC ticks in which a counter that starts at zero stays below its maximum */
static void span_update(struct softpt_engine *e)
{
	struct softpt_cycles *c = &e->cycles;

	c->span = min((c->max * e->cfg.p1 - e->cfg.p1) / c->ratio, SETTLE_SPAN);
}

void softpt_cycles_start(struct softpt_engine *e, u64 tsc)
{
	if (!(e->flags & SOFTPT_F_CYC))
		return;
	e->cycles.tsc = tsc;
	e->wrap_at = e->cycles.n < e->cycles.max ? wrap_exact(e) : tsc;
	softpt_due_update(e);
}

/* Clocks stop; the counter keeps its value. */
void softpt_cycles_stop(struct softpt_engine *e, u64 tsc)
{
	softpt_cycles_settle(e, tsc);
	e->cycles.tsc = U64_MAX;
	e->wrap_at = U64_MAX;
	softpt_due_update(e);
}

void softpt_cycles_ratio(struct softpt_engine *e, u64 tsc, u8 ratio)
{
	bool running = counting(e);

	if (running)
		softpt_cycles_settle(e, tsc);
	e->cycles.ratio = ratio;
	span_update(e);
	if (running)
		softpt_cycles_start(e, tsc);
}

/* Time has reached @wrap_at: one CYC for each call at most */
void softpt_cycles_wrap(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	unsigned int i, n = 0;

	softpt_cycles_settle(e, tsc);
	if (e->cycles.n >= e->cycles.max) {
		softpt_tnt_flush(e, s);
		softpt_put_unknown_ratio(e, s);
		softpt_put_cyc(e, s, e->cycles.max);
		e->cycles.n -= e->cycles.max;
		/* The pre-roll cannot send a tick before this CYC. */
		for (i = 0; i < e->shadow.n; i++)
			if (e->shadow.tick[i].cycles >= e->cycles.max) {
				e->shadow.tick[n] = e->shadow.tick[i];
				e->shadow.tick[n++].cycles -= e->cycles.max;
			}
		e->shadow.n = n;
	}
	e->wrap_at = e->cycles.n < e->cycles.max ? wrap_exact(e) : tsc;
	softpt_due_update(e);
}

/* softpt_cyc(), with cyc=1 */
void softpt_cyc_slow(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh)
{
	softpt_cycles_settle(e, tsc);
	if (e->cycles.n < thresh)
		return;
	softpt_put_cyc(e, s, min(e->cycles.n, e->cycles.max));
	e->cycles.n = 0;
	e->shadow.n = 0;
	if (counting(e)) {
		e->wrap_at = tsc + e->cycles.span;
		softpt_due_update(e);
	}
}

void softpt_cycles_init(struct softpt_engine *e)
{
	const struct softpt_config *cfg = &e->cfg;

	e->cycles.ratio = cfg->p1;
	e->cycles.max = (1ull << cfg->cyc_bits) - 1;
	e->cycles.thresh = cfg->cyc_thresh ? 1u << (cfg->cyc_thresh - 1) : 1;
	e->cycles.tsc = U64_MAX;
	e->wrap_at = U64_MAX;
	span_update(e);
}
