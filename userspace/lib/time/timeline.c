// SPDX-License-Identifier: BSD-2-Clause
/* Timing packets: anchors, cycles, and what the suppressor must have done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "time/cycles.h"
#include "time/resolve.h"
#include "time/timeline.h"

#define TSC_MASK ((1ull << 56) - 1)
#define CARRY_LIMIT (1ull << 55)

void softpt_time_init(struct softpt_time *t)
{
	*t = (struct softpt_time){
		.ticks.p = { 1, 1 },
		.thresh = UINT32_MAX,
		.stop = SIZE_MAX,
	};
	softpt_segment_begin(t, 0);
}

void softpt_time_free(struct softpt_time *t)
{
	free(t->rec);
}

/* Each PSB+ says it again; it matters when it is news. */
void softpt_time_config(struct softpt_time *t, const struct softpt_config *cfg, bool own)
{
	uint64_t cycles = t->cycles;

	if (t->own == own && !memcmp(&t->cfg, cfg, sizeof(*cfg)))
		return;
	t->cfg = *cfg;
	t->own = own;
	t->clocked = cfg->tsc_eax && cfg->tsc_ebx;
	if (t->clocked)
		softpt_ticks_set(&t->ticks, (struct softpt_ratio){ cfg->tsc_ebx, cfg->tsc_eax },
				 cfg->mtc_freq);
	if (!own)
		return;
	t->announced = cfg->flags & SOFTPT_F_CBR;
	t->thresh = cfg->cyc_thresh ? (1u << (cfg->cyc_thresh - 1)) - 1 : 0;
	t->credit = cfg->suppress;
	/* The cycles of this interval were counted by another clock, if any. */
	t->unknown = cycles;
	t->nsegs = 0;
	t->cycles = 0;
	softpt_segment_begin(t, t->ratio);
	t->cycles = cycles;
}

int softpt_time_grow(struct softpt_time *t)
{
	size_t alloc = t->alloc ? t->alloc * 2 : 256;
	struct softpt_record *rec = realloc(t->rec, alloc * sizeof(*rec));

	if (!rec)
		return -ENOMEM;
	t->rec = rec;
	t->alloc = alloc;
	return 0;
}

void softpt_time_cyc(struct softpt_time *t, uint64_t cycles)
{
	t->counts.cyc++;
	t->cycles += cycles;
	t->total += cycles;
	/* A restart of the counter sends 0 where what it had counted was forgotten. */
	t->cyc_zero = !cycles;
	if (cycles)
		softpt_time_close_open(t, t->cycles);
	/* With a threshold, a counter that wrapped says nothing of the next packet. */
	t->after_cyc = !t->thresh || cycles != (1ull << t->cfg.cyc_bits) - 1;
}

static void interval_begin(struct softpt_time *t, const struct softpt_anchor *from)
{
	t->from = *from;
	t->cycles = 0;
	t->after_cyc = false;
	if (t->nsegs == 1 && t->seg[0].ratio == t->ratio && !t->unknown)
		return;
	t->unknown = false;
	t->nsegs = 0;
	softpt_segment_begin(t, t->ratio);
}

static void tick_seek(struct softpt_time *t, uint64_t tick)
{
	softpt_tick_seek(&t->ticks, &t->tick, tick);
	t->tick.tsc -= t->base;
	t->tick_before = softpt_time_of_tick(t, tick - 1);
}

void softpt_time_drained(struct softpt_time *t)
{
	t->n = 0;
	t->events = 0;
	t->open = 0;
	t->stop = SIZE_MAX;
}

/* Records are NTPs: they hand the suppressor its full credit. */
static void credit_ntp(struct softpt_time *t)
{
	if (t->n || t->flushed)
		t->credit = t->cfg.suppress;
	t->flushed = false;
}

/* Which tick it is nobody knows: but one lies between the records before it and those behind. */
static bool mtc_lost(struct softpt_time *t)
{
	if (!t->n)
		return false;
	softpt_resolve(t, NULL, SOFTPT_END_DATA);
	return true;
}

static bool mtc_own(struct softpt_time *t, uint8_t ctc)
{
	unsigned int distance = softpt_time_distance(t->tick.index, ctc);
	struct softpt_anchor to = { .valid = true, .clock = true, .slack = softpt_time_slack(t) };

	if (!t->from.valid || !t->from.clock)
		return mtc_lost(t);
	if (distance == 1) {
		softpt_time_step(t);
	} else {
		tick_seek(t, t->tick.index + distance);
		t->counts.mtc_missing += distance - 1;
	}
	to.lo = t->tick.tsc;
	to.hi = to.lo;
	if (t->n)
		softpt_resolve(t, &to, SOFTPT_END_MTC);
	credit_ntp(t);
	softpt_time_credit_mtc(t);
	interval_begin(t, &to);
	return true;
}

/*
 * Of a foreign stream the zero of the CTC is unknown, and TMA tells 16 bits of it.
 * An MTC is somewhere within one TSC tick; one that repeats the payload before is
 * no anchor, for decoders differ on what it means.
 */
static bool mtc_foreign(struct softpt_time *t, uint8_t ctc)
{
	unsigned int bits = t->cfg.mtc_freq + 8;
	uint64_t mask, now = (uint64_t)ctc << t->cfg.mtc_freq, delta, tsc;
	struct softpt_anchor to = { .valid = true, .clock = true, .slack = softpt_time_slack(t) };

	if (!t->ctc_valid || !t->from.valid)
		return false;
	mask = (1ull << (t->ctc_whole || bits < 16 ? bits : 16)) - 1;
	delta = (now - t->ctc) & mask;
	if (!delta) {
		t->ctc_valid = false;
		return false;
	}
	t->ctc += delta;
	t->ctc_whole = true;
	if ((t->ctc ^ now) & ((1ull << bits) - 1))
		t->ctc = (t->ctc & ~((1ull << bits) - 1)) | now;
	t->ctc_base += delta;
	tsc = t->ctc_base_tsc + softpt_tsc_of_ctc(t->ticks.p, t->ctc_base);
	to.lo = tsc > 2 ? tsc - 2 : 0;
	to.hi = tsc + 1;
	if (to.hi < t->from.lo)
		return false;
	softpt_resolve(t, &to, SOFTPT_END_MTC);
	interval_begin(t, &to);
	return true;
}

/* Return: whether it ended the interval */
bool softpt_time_mtc(struct softpt_time *t, uint8_t ctc)
{
	t->counts.mtc++;
	if (!t->clocked) {
		t->after_cyc = false;
		return false;
	}
	if (t->own ? mtc_own(t, ctc) : mtc_foreign(t, ctc))
		return true;
	t->after_cyc = false;
	return false;
}

/*
 * TSC bits above 55: its own PSB+ tells them, or they go on from the TSC before. They carry where
 * that takes the shorter way around. Half way around neither is shorter: bit 55 is wrong in one of
 * two TSCs of the same time. Without a carry the second lies before the first, which is an error.
 */
static uint64_t tsc_extend(const struct softpt_time *t, const struct softpt_tsc *p)
{
	uint64_t last = t->from.lo, whole;

	if (p->told || !t->from.valid)
		return t->tsc_high << 56 | p->tsc;
	whole = (last & ~TSC_MASK) | p->tsc;
	if (whole < last && whole + TSC_MASK + 1 - last < CARRY_LIMIT)
		whole += TSC_MASK + 1;
	return whole;
}

/* A TMA of ours is computed of the whole TSC, with the bits that the packet lacks. */
static bool agrees(const struct softpt_time *t, uint64_t tsc, const struct softpt_tsc *p)
{
	uint64_t ctc = softpt_ctc_of_tsc(t->ticks.p, tsc);

	return (uint16_t)ctc == p->ctc && tsc - softpt_tsc_of_ctc(t->ticks.p, ctc) == p->fc;
}

/*
 * Whether any wrong bit of a TSC shows in its TMA: not where a power of two of TSC ticks is a
 * whole number of times that CTC[15:0] comes around.
 */
static bool tma_vouches(const struct softpt_time *t)
{
	uint32_t odd = t->ticks.p.ebx >> __builtin_ctz(t->ticks.p.ebx);

	return t->ticks.p.eax % odd;
}

/*
 * The first TSC of a stream that nobody described: bits above 55 are what the TMA needs, and that
 * of the next TSC, too. If that needs none this one is wrong.
 */
static bool find_base(struct softpt_time *t, const struct softpt_tsc *p)
{
	const struct softpt_tsc *next = p->next;
	uint64_t high;

	if (!softpt_time_wants_next(t) || (next && agrees(t, next->tsc, next)))
		return false;
	for (high = 1; high < 256; high++)
		if (agrees(t, high << 56 | p->tsc, p)) {
			t->base = high << 56;
			t->counts.tsc_folded++;
			return true;
		}
	return false;
}

/* No time is known from here on, before a TSC tells it anew. */
static void lose_time(struct softpt_time *t)
{
	t->from.valid = false;
	softpt_time_lost(t);
}

static void tsc_take(struct softpt_time *t, const struct softpt_anchor *to)
{
	credit_ntp(t);
	if (t->clocked)
		tick_seek(t, softpt_time_tick(t, to->lo));
	t->ctc_valid = false;
	interval_begin(t, to);
}

bool softpt_time_tsc(struct softpt_time *t, const struct softpt_tsc *p)
{
	struct softpt_anchor to = { .valid = true, .clock = true, .slack = softpt_time_slack(t) };
	enum softpt_end end = p->end;
	bool ticks = softpt_time_has_ticks(t), tma = ticks && p->tma;

	t->counts.tsc++;
	if (ticks && !tma) {
		/* Cut off, or what stands there is no TSC of ours. */
		softpt_time_lost(t);
		return end == SOFTPT_END_UNSURE;
	}
	if (!t->from.valid)
		t->base = 0;
	to.lo = tsc_extend(t, p);
	to.hi = to.lo;
	if (tma && !agrees(t, to.lo + t->base, p) && !find_base(t, p)) {
		softpt_time_lost(t);
		return false;
	}
	if (t->from.valid && to.lo < t->from.lo && !t->own)
		end = SOFTPT_END_DATA;
	if (t->own && t->from.valid && (to.lo < t->from.lo ||
					(end == SOFTPT_END_TSC && to.lo > softpt_time_reach(t)))) {
		/* One of them is wrong: which, only a TMA can tell. */
		lose_time(t);
		if (tma && tma_vouches(t))
			tsc_take(t, &to);
		return false;
	}
	softpt_resolve(t, end == SOFTPT_END_DATA ? NULL : &to, end);
	if (end == SOFTPT_END_RESTART)
		t->flushed = true;	/* nothing is suppressed before the next NTP */
	tsc_take(t, &to);
	return true;
}

/* Exact anchors need no TMA: they know the zero of the CTC. */
void softpt_time_tma(struct softpt_time *t, uint16_t ctc, uint16_t fc)
{
	if (t->own || !t->clocked || !t->from.valid || fc > t->from.lo)
		return;
	t->ctc = ctc;
	t->ctc_whole = false;
	t->ctc_base = 0;
	t->ctc_base_tsc = t->from.lo - fc;
	t->ctc_valid = true;
}

/* @now: at the very time of the anchor, so that no cycle of this interval was before */
void softpt_time_cbr(struct softpt_time *t, uint8_t ratio, bool now)
{
	if (!t->announced)
		return;
	if (now && !t->cycles)
		t->nsegs = 0;
	if (ratio < t->cfg.min_ratio || ratio > t->cfg.max_ratio)
		ratio = 0;
	softpt_segment_begin(t, ratio);
}

void softpt_time_unannounced(struct softpt_time *t)
{
	t->unknown = true;
	softpt_segment_begin(t, 0);
}

/* An overflow: what follows has no link to what was before but its order. */
void softpt_time_stop(struct softpt_time *t)
{
	if (t->stop == SIZE_MAX) {
		t->stop = t->n;
		t->stop_events = t->events;
	}
	softpt_segment_begin(t, 0);
}

void softpt_time_end(struct softpt_time *t)
{
	softpt_resolve(t, NULL, SOFTPT_END_DATA);
}

void softpt_time_flush(struct softpt_time *t)
{
	/* Ticks that may be missing are missing before the first record of the interval. */
	if (!softpt_time_may_miss(t))
		t->credit = t->cfg.suppress;
	softpt_resolve(t, NULL, SOFTPT_END_DATA);
	t->flushed = true;
}

/* Bytes could not be read: the anchor is only the latest time known */
void softpt_time_lost(struct softpt_time *t)
{
	softpt_resolve(t, NULL, SOFTPT_END_DATA);
	t->from.clock = false;
	t->ctc_valid = false;
	t->after_cyc = false;
	t->credit = 0;
	t->flushed = false;
	t->cycles = 0;
	t->nsegs = 0;
	softpt_segment_begin(t, 0);
}
