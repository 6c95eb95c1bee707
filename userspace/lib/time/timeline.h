/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time, rebuilt by looking both ways. Records wait in an interval that begins at an
 * anchor (a TSC, an MTC) and is resolved by the next. (Documentation/time.rst)
 */
#ifndef SOFTPT_LIB_TIMELINE_H
#define SOFTPT_LIB_TIMELINE_H

#include <softpt/ctc.h>

#include "softpt-decoder.h"

#define SOFTPT_SEGMENTS	8	/* core clock changes of one interval that are told apart */

/* A point in time that the stream tells: exact, or of a foreign stream within [lo, hi] */
struct softpt_anchor {
	uint64_t lo;
	uint64_t hi;
	bool valid;
	bool clock;		/* ticks and cycles count from here: no stop since */
	uint32_t slack;		/* whole cycles that it may lie after its CYC (CycThresh) */
};

/* A stretch of constant, or unknown, core clock within an interval */
struct softpt_segment {
	uint64_t cycles;	/* since the anchor, where it begins */
	uint64_t fast;		/* elapsed ticks there at least, << SOFTPT_FRAC */
	uint64_t slow;		/* and at most */
	uint64_t inv_fast;	/* ticks of a cycle, << SOFTPT_INV */
	uint64_t inv_slow;
	uint8_t ratio;		/* 0: unknown */
};

#define SOFTPT_FRAC	8
#define SOFTPT_INV	40

struct softpt_time {
	struct softpt_config cfg;
	bool own;		/* absence is evidence */
	bool clocked;		/* CTC parameters are known: MTCs are anchors */
	bool announced;		/* every change of the core clock sends CBR */
	uint32_t thresh;	/* cycles that an absent CYC may hide, minus 1 */

	struct softpt_anchor from;
	/* of a stream of ours: the last tick at or before the anchor */
	struct softpt_ticks ticks;
	struct softpt_tick tick;
	uint64_t tick_before;	/* TSC of the tick before it */
	uint64_t tsc_high;	/* TSC bits above 55, of the last description */
	bool described;		/* there was one */
	uint64_t base;		/* bits above 55 that ticks count with, and times lack */
	uint32_t credit;	/* MTCs until suppression, at the anchor: 0 suppressing */
	bool flushed;		/* there were records in this interval that are gone */

	/* of a foreign stream: CTC at the last TMA or MTC */
	bool ctc_valid;
	bool ctc_whole;		/* all N+8 bits are known, not just TMA's 16 */
	uint64_t ctc;
	uint64_t ctc_base;
	uint64_t ctc_base_tsc;

	/* cycles since the anchor */
	uint64_t cycles;
	uint64_t total;		/* of all CYCs */
	bool partial;		/* some were lost */
	bool after_cyc;		/* a CYC is the CYC of the eligible packet that follows */
	bool cyc_zero;		/* the last CYC was 0 */
	bool unknown;		/* the core clock changed without a word in this interval */
	uint8_t ratio;		/* 0: unknown */
	uint8_t nsegs;
	struct softpt_segment seg[SOFTPT_SEGMENTS];

	/* records of the interval */
	struct softpt_record *rec;
	size_t n;
	size_t alloc;
	size_t open;		/* first whose cycles have no upper end yet */
	size_t stop;		/* records before a stop; SIZE_MAX: no stop */
	struct softpt_decoder_counts counts;
};

/* What ends an interval */
enum softpt_end {
	SOFTPT_END_MTC,
	SOFTPT_END_TSC,
	SOFTPT_END_RESTART,	/* a TSC; the clocks stood still before */
	SOFTPT_END_UNSURE,	/* a TSC; what would tell which of the two is cut off */
	SOFTPT_END_DATA,
};

/* A TSC packet, and what is told beside it */
struct softpt_tsc {
	uint64_t tsc;		/* 56 bits */
	enum softpt_end end;
	bool told;		/* the description of its PSB+ has the bits above */
	bool tma;		/* a TMA is behind it */
	uint16_t ctc;
	uint16_t fc;
	const struct softpt_tsc *next;	/* the one behind; NULL: not looked for, or there is none */
};

void softpt_time_init(struct softpt_time *t);
void softpt_time_config(struct softpt_time *t, const struct softpt_config *cfg, bool own);
void softpt_time_free(struct softpt_time *t);

/* Timing packets. Each that ends the interval leaves its records resolved in rec[0..n). */
void softpt_time_cyc(struct softpt_time *t, uint64_t cycles);
bool softpt_time_mtc(struct softpt_time *t, uint8_t ctc);
/* The first of a stream that nobody described: softpt_tsc.next is wanted. */
static inline bool softpt_time_wants_next(const struct softpt_time *t)
{
	return t->own && !t->described && !t->from.valid;
}

/* Return: false when it contradicts what is around it */
bool softpt_time_tsc(struct softpt_time *t, const struct softpt_tsc *p);
void softpt_time_tma(struct softpt_time *t, uint16_t ctc, uint16_t fc);
void softpt_time_cbr(struct softpt_time *t, uint8_t ratio, bool now);
void softpt_time_unannounced(struct softpt_time *t);
void softpt_time_stop(struct softpt_time *t);
void softpt_time_end(struct softpt_time *t);
void softpt_time_lost(struct softpt_time *t);

/* No more room for records: resolve what is there without the anchor that follows */
void softpt_time_flush(struct softpt_time *t);

/* The records of the interval that ended were taken. */
void softpt_time_drained(struct softpt_time *t);

int softpt_time_grow(struct softpt_time *t);
void softpt_time_close_open(struct softpt_time *t, uint64_t cycles);

/*
 * A new record at the position. While it waits, tsc_min and tsc_max are the cycles
 * since the anchor that it lies between. @exact: its packet is CYC-eligible.
 * Return: NULL without memory.
 */
static inline struct softpt_record *softpt_time_record(struct softpt_time *t, bool exact)
{
	struct softpt_record *rec;

	if (__builtin_expect(t->n == t->alloc, 0) && softpt_time_grow(t) < 0)
		return NULL;
	if (exact && (t->after_cyc || !t->thresh)) {
		if (t->open < t->n)
			softpt_time_close_open(t, t->cycles);
		t->open = t->n + 1;
	}
	rec = &t->rec[t->n];
	rec->ip = 0;
	rec->value = 0;
	rec->tsc_min = t->cycles;
	rec->tsc_max = t->open > t->n ? t->cycles : UINT64_MAX;
	if (exact && t->open <= t->n)
		rec->tsc_max = t->cycles + t->thresh;
	rec->flags = 0;
	rec->reserved = 0;
	rec->private_ = 0;
	rec->cycles = t->cycles;
	rec->cycles_total = t->total;
	if (rec->tsc_min == rec->tsc_max && (t->after_cyc || t->cfg.flags & SOFTPT_F_CYC)) {
		if (!t->from.slack && t->from.clock)
			rec->flags |= SOFTPT_REC_HAS_CYCLES;
		if (!t->partial)
			rec->flags |= SOFTPT_REC_HAS_TOTAL;
	}
	t->n++;
	return rec;
}

/* Ticks count with all bits of the TSC. The one before the first TSC may be before 0: it wraps. */
static inline uint64_t softpt_time_of_tick(const struct softpt_time *t, uint64_t tick)
{
	return softpt_tsc_of_tick(t->ticks.p, t->ticks.mtc_freq, tick) - t->base;
}

static inline uint64_t softpt_time_tick(const struct softpt_time *t, uint64_t tsc)
{
	return softpt_tick_of_tsc(t->ticks.p, t->ticks.mtc_freq, tsc + t->base);
}

/* Every tick that passes is in the stream, or was left out as the suppressor does it. */
static inline bool softpt_time_has_ticks(const struct softpt_time *t)
{
	return t->own && t->clocked && t->cfg.flags & SOFTPT_F_MTC;
}

#define SOFTPT_RECORDS_MAX	(1u << 20)	/* that wait for one anchor */
/* struct softpt_record.private_ */
#define SOFTPT_REC_PINNED	1	/* at the very time of the next TSC */
#define SOFTPT_REC_AT_ANCHOR	2	/* at the very time of the TSC before */

/* The next tick, without a division */
static inline void softpt_time_step(struct softpt_time *t)
{
	t->tick_before = t->tick.tsc;
	softpt_tick_next(&t->ticks, &t->tick);
}

/* Ticks from the one with index @tick to that of the MTC behind it: no difference is 256 */
static inline unsigned int softpt_time_distance(uint64_t tick, uint8_t ctc)
{
	return (uint8_t)(ctc - tick - 1) + 1;
}

/* An MTC spends the suppressor's credit; one that comes without any has resumed. */
static inline void softpt_time_credit_mtc(struct softpt_time *t)
{
	if (!t->credit)
		t->credit = t->cfg.burst ? t->cfg.burst : t->cfg.suppress;
	if (t->credit)
		t->credit--;
}

/* Cycles that an anchor may lie after its CYC */
static inline uint32_t softpt_time_slack(const struct softpt_time *t)
{
	return t->after_cyc ? 0 : t->thresh;
}

/*
 * softpt_time_mtc() for the MTC that most of a sparse trace is: the next tick, and no
 * record since the last. Return: false if it isn't one.
 */
static inline bool softpt_time_mtc_quick(struct softpt_time *t, uint8_t ctc)
{
	if (softpt_time_distance(t->tick.index, ctc) != 1 || t->n || t->flushed || !t->own ||
	    !t->clocked || !t->from.valid || !t->from.clock || t->nsegs != 1 || t->unknown ||
	    t->seg[0].ratio != t->ratio)
		return false;
	softpt_time_step(t);
	softpt_time_credit_mtc(t);
	t->from.lo = t->tick.tsc;
	t->from.hi = t->tick.tsc;
	t->from.slack = softpt_time_slack(t);
	t->cycles = 0;
	t->after_cyc = false;
	t->counts.mtc++;
	return true;
}

/* resolve.c */
uint64_t softpt_time_may_miss(const struct softpt_time *t);
uint64_t softpt_time_reach(const struct softpt_time *t);
void softpt_resolve(struct softpt_time *t, const struct softpt_anchor *to, enum softpt_end end);
void softpt_segment_begin(struct softpt_time *t, uint8_t ratio);

#endif /* SOFTPT_LIB_TIMELINE_H */
