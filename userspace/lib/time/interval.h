/* SPDX-License-Identifier: BSD-2-Clause */
/* An interval between two anchors: where it begins, its cycles, its records */
#ifndef SOFTPT_TIME_INTERVAL_H
#define SOFTPT_TIME_INTERVAL_H

#include <softpt/ctc.h>

#include <softpt/decoder.h>

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

/**
 * struct softpt_spread - records of which nothing but their order is known, spread evenly
 * @lo: the anchor before them
 * @likely: none is later
 * @step: ticks from one to the next
 * @even: that is how their times are estimated
 */
struct softpt_spread {
	uint64_t lo;
	uint64_t likely;
	double step;
	bool even;
};

#define SOFTPT_BITS_SHORT	6	/* of a TNT packet of one byte, at most */

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
	struct softpt_record *rec;	/* TNT bits in a row are one */
	size_t n;
	size_t alloc;
	size_t events;		/* what happened: each of those bits counts */
	size_t open;		/* first whose cycles have no upper end yet */
	size_t stop;		/* records before a stop; SIZE_MAX: no stop */
	size_t stop_events;	/* and events */
	struct softpt_spread spread[2];	/* of the records before the stop, and behind it */
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

/* struct softpt_record.private_ */
#define SOFTPT_REC_PINNED	1	/* at the very time of the next TSC */
#define SOFTPT_REC_AT_ANCHOR	2	/* at the very time of the TSC before */
#define SOFTPT_REC_AT		(SOFTPT_REC_PINNED | SOFTPT_REC_AT_ANCHOR)
#define SOFTPT_REC_STOPPED	4	/* behind a stop */
#define SOFTPT_REC_PLAIN	8	/* TNT bits that no packet beside theirs tells a time of */
#define SOFTPT_REC_ORDINAL_SHIFT 8	/* bits from here on: events of the interval before it */

/* Of TNT bits in a row struct softpt_record.value has the outcomes, reserved how many they are. */
static inline unsigned int softpt_record_events(const struct softpt_record *rec)
{
	return rec->reserved ? rec->reserved : 1;
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

/* The records so far lie no more than so many cycles after the anchor. */
static inline void softpt_time_close_open(struct softpt_time *t, uint64_t cycles)
{
	for (; t->open < t->n; t->open++)
		if (t->rec[t->open].tsc_max > cycles)
			t->rec[t->open].tsc_max = cycles;
}

#endif /* SOFTPT_TIME_INTERVAL_H */
