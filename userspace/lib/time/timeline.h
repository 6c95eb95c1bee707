/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time, rebuilt by looking both ways. Records wait in an interval that begins at an
 * anchor (a TSC, an MTC) and is resolved by the next. (Documentation/internals/time.rst)
 */
#ifndef SOFTPT_LIB_TIMELINE_H
#define SOFTPT_LIB_TIMELINE_H

#include "time/interval.h"

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
	t->events++;
	return rec;
}

#define SOFTPT_EVENTS_MAX	(1u << 20)	/* that wait for one anchor */

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

#endif /* SOFTPT_LIB_TIMELINE_H */
