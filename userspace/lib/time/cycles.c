// SPDX-License-Identifier: BSD-2-Clause
#include "time/cycles.h"

#define ONE (1ull << SOFTPT_FRAC)

/* The platform's slowest and fastest, or the ratio itself, as ticks of a cycle */
static void segment_ratio(const struct softpt_time *t, struct softpt_segment *s, uint8_t ratio)
{
	uint64_t p1 = (uint64_t)t->cfg.p1 << SOFTPT_INV;
	uint8_t fast = ratio ? ratio : t->cfg.max_ratio;
	uint8_t slow = ratio ? ratio : t->cfg.min_ratio;

	s->ratio = ratio;
	s->inv_fast = fast ? p1 / fast : 0;
	s->inv_slow = slow ? (p1 + slow - 1) / slow : 0;
}

/* Elapsed ticks << SOFTPT_FRAC of so many cycles since the anchor: at least, at most */
static uint64_t ticks_fast(const struct softpt_segment *s, uint64_t cycles)
{
	return s->fast + (uint64_t)((__uint128_t)(cycles - s->cycles) * s->inv_fast >>
				    (SOFTPT_INV - SOFTPT_FRAC));
}

static uint64_t ticks_slow(const struct softpt_segment *s, uint64_t cycles)
{
	unsigned __int128 v = (unsigned __int128)(cycles - s->cycles) * s->inv_slow;

	return s->slow + (uint64_t)(v >> (SOFTPT_INV - SOFTPT_FRAC)) + 1;
}

void softpt_segment_begin(struct softpt_time *t, uint8_t ratio)
{
	struct softpt_segment *s = &t->seg[t->nsegs], *last = s - 1;

	t->ratio = ratio;
	if (t->nsegs && last->ratio == ratio)
		return;
	if (t->nsegs == SOFTPT_SEGMENTS) {
		t->unknown = true;
		return;
	}
	s->cycles = t->cycles;
	s->fast = t->nsegs ? ticks_fast(last, t->cycles) : 0;
	s->slow = t->nsegs ? ticks_slow(last, t->cycles) : 0;
	segment_ratio(t, s, ratio);
	t->nsegs++;
}

static const struct softpt_segment *segment_of(const struct softpt_time *t, uint64_t cycles)
{
	unsigned int i = t->nsegs - 1;

	while (i && t->seg[i].cycles > cycles)
		i--;
	return &t->seg[i];
}

void softpt_cycles_prepare(struct softpt_time *t, struct softpt_cycles *c,
			   const struct softpt_anchor *to)
{
	const struct softpt_segment *last;
	unsigned int i;

	if (!t->own || !(t->cfg.flags & SOFTPT_F_CYC) || !t->from.clock)
		return;
	if (t->unknown) {
		t->nsegs = 1;
		segment_ratio(t, &t->seg[0], 0);
	}
	last = &t->seg[t->nsegs - 1];
	c->counted = true;
	c->to = to;
	c->exact = true;
	for (i = 0; i < t->nsegs; i++) {
		uint64_t one = (t->seg[i].inv_slow >> (SOFTPT_INV - SOFTPT_FRAC)) + 1;

		c->exact &= t->seg[i].ratio != 0;
		if (one > c->one)
			c->one = one;
	}
	c->from_slack = c->one * t->from.slack;
	if (t->nsegs > 2)
		c->one *= t->nsegs - 1;
	if (!to)
		return;
	c->total_fast = ticks_fast(last, t->cycles);
	c->total_slow = ticks_slow(last, t->cycles + to->slack);
}

void softpt_cycles_bound(const struct softpt_time *t, const struct softpt_cycles *c,
			 const struct softpt_record *rec, uint64_t *lo, uint64_t *hi)
{
	uint64_t min = rec->tsc_min, max = rec->tsc_max, ticks, least, most;
	const struct softpt_segment *smin = segment_of(t, min), *smax = segment_of(t, max);
	uint64_t spare = c->one + c->from_slack;

	least = ticks_fast(smin, min);
	if (least > spare) {
		ticks = t->from.lo + ((least - spare + ONE - 1) >> SOFTPT_FRAC);
		*lo = ticks > *lo ? ticks : *lo;
	}
	if (max != UINT64_MAX) {
		most = ticks_slow(smax, max);
		ticks = t->from.hi + ((most + c->one) >> SOFTPT_FRAC);
		*hi = ticks < *hi ? ticks : *hi;
	}
	if (!c->to)
		return;
	least = ticks_fast(smax, max) + c->one;
	if (c->total_fast > least) {
		ticks = c->to->hi - ((c->total_fast - least + ONE - 1) >> SOFTPT_FRAC);
		*hi = ticks < *hi ? ticks : *hi;
	}
	ticks = (c->total_slow - ticks_slow(smin, min) + c->one) >> SOFTPT_FRAC;
	if (ticks < c->to->lo && c->to->lo - ticks > *lo)
		*lo = c->to->lo - ticks;
}
