// SPDX-License-Identifier: BSD-2-Clause
/*
 * An interval ends: what can be said of the time of each record in it.
 *
 * Three kinds of evidence, and the answer is their intersection:
 *  - the anchors at both ends;
 *  - the ticks that would be in the stream had they passed (streams of a softpt unit);
 *  - cycles, counted from the anchor before and to the anchor after.
 * Documentation/internals/time.rst derives each bound.
 */
#include "time/resolve.h"

#include "time/cycles.h"

/* What an interval knows before any of its records is looked at */
struct interval {
	const struct softpt_anchor *to;	/* NULL: none */
	uint64_t lo;
	uint64_t hi;
	uint64_t likely;		/* the estimate is no later, if the trace was not cut */
	bool has_lo;
	bool has_hi;
	struct softpt_cycles cycles;
	double step;			/* of the estimate: ticks of a cycle */
};

/* The first record of the interval is known to be before the tick behind the anchor. */
static bool first_is_near(const struct softpt_time *t)
{
	const struct softpt_record *first = &t->rec[0];

	if (!t->n || t->flushed)
		return false;
	if (first->private_ & SOFTPT_REC_AT_ANCHOR)
		return true;
	/* Were ticks missing, the last would be here. A counter that wraps loses them. */
	return t->cfg.preroll && t->cfg.resume != SOFTPT_RESUME_TSC &&
	       first->tsc_min < (1ull << t->cfg.cyc_bits) - 1;
}

/**
 * softpt_time_may_miss() - ticks that may be missing after the anchor, as far as is known before
 *	the interval ends: all of them before its first record
 * @t: time
 *
 * Return: UINT64_MAX: any number.
 */
uint64_t softpt_time_may_miss(const struct softpt_time *t)
{
	if (!t->cfg.suppress || t->credit || first_is_near(t))
		return 0;
	if (t->cfg.resume == SOFTPT_RESUME_COUNT)
		return t->cfg.resume_value;
	return t->cfg.resume == SOFTPT_RESUME_PAYLOAD ? 255 : UINT64_MAX;
}

static void cap_hi(struct interval *iv, uint64_t hi)
{
	if (!iv->has_hi || hi < iv->hi)
		iv->hi = hi;
	iv->has_hi = true;
}

/* The last moment with no more ticks than so many since the anchor, or UINT64_MAX */
static uint64_t before_tick(const struct softpt_time *t, uint64_t miss)
{
	if (!softpt_time_has_ticks(t) || !t->from.clock || miss == UINT64_MAX)
		return UINT64_MAX;
	return softpt_time_of_tick(t, t->tick.index + miss + 1) - 1;
}

/**
 * softpt_time_reach() - the last moment at which a TSC may end the interval, with no stop in it
 * @t: time
 */
uint64_t softpt_time_reach(const struct softpt_time *t)
{
	if (t->stop != SIZE_MAX)
		return UINT64_MAX;
	return before_tick(t, softpt_time_may_miss(t));
}

/* No tick beyond so many lies between the anchor and the records. */
static void cap_ticks(const struct softpt_time *t, struct interval *iv, uint64_t miss)
{
	uint64_t hi = before_tick(t, miss);

	if (hi != UINT64_MAX)
		cap_hi(iv, hi);
}

/* The window between two anchors with no stop in between */
static void window(const struct softpt_time *t, struct interval *iv, enum softpt_end end)
{
	uint64_t tick;

	cap_hi(iv, iv->to->hi);
	if (!softpt_time_has_ticks(t))
		return;
	if (end == SOFTPT_END_MTC) {
		iv->hi--;
		tick = t->tick_before;
	} else {
		tick = softpt_time_of_tick(t, softpt_time_tick(t, iv->to->lo));
	}
	if (tick > iv->to->lo)		/* it wrapped */
		tick = 0;
	if (!iv->has_lo || tick > iv->lo)
		iv->lo = tick;
	iv->has_lo = true;
}

/* So many ticks from @lo, but not beyond @hi: a hostile trace may ask for any number */
static uint64_t part_way(uint64_t lo, uint64_t hi, double ticks)
{
	return hi > lo && ticks < hi - lo ? lo + (uint64_t)ticks : hi;
}

static uint64_t spread_at(const struct softpt_spread *s, size_t event)
{
	return part_way(s->lo, s->likely, s->step * (event + 1));
}

/*
 * Best guess within the bounds: their middle where the core clock is known; in
 * proportion to the cycles where there are cycles at both ends; else events are
 * spread evenly.
 */
static uint64_t estimate(const struct softpt_time *t, const struct interval *iv,
			 const struct softpt_record *rec, const struct softpt_spread *s,
			 uint64_t cycles, size_t event)
{
	if (s->even)
		return spread_at(s, event);
	if (iv->cycles.exact)
		return rec->tsc_min + (rec->tsc_max - rec->tsc_min) / 2;
	return part_way(t->from.lo, iv->to->lo, iv->step * cycles);
}

static inline uint64_t bit_at(const struct softpt_spread *s, const struct softpt_record *rec,
			      unsigned int i)
{
	const uint64_t tsc = spread_at(s, (rec->private_ >> SOFTPT_REC_ORDINAL_SHIFT) + i);

	if (tsc <= rec->tsc)
		return rec->tsc;
	return tsc < rec->tsc_max ? tsc : rec->tsc_max;
}

/**
 * softpt_time_of_bit() - the estimate of one of TNT bits in a row
 * @t: time that resolved them
 * @rec: their record
 * @i: which: 0 is the first
 */
uint64_t softpt_time_of_bit(const struct softpt_time *t, const struct softpt_record *rec,
			    unsigned int i)
{
	const struct softpt_spread *s = &t->spread[!!(rec->private_ & SOFTPT_REC_STOPPED)];

	return i && s->even ? bit_at(s, rec, i) : rec->tsc;
}

/**
 * softpt_times_of_bits() - the estimates of several, as softpt_time_of_bit()
 * @t: time that resolved them
 * @rec: their record
 * @i: the first
 * @n: how many
 * @tsc: filled in
 */
void softpt_times_of_bits(const struct softpt_time *t, const struct softpt_record *rec,
			  unsigned int i, unsigned int n, uint64_t *tsc)
{
	const struct softpt_spread *s = &t->spread[!!(rec->private_ & SOFTPT_REC_STOPPED)];
	unsigned int k;

	for (k = 0; k < n; k++)
		tsc[k] = i + k && s->even ? bit_at(s, rec, i + k) : rec->tsc;
}

/* After the first record, an NTP, no tick is suppressed: all lie before the next. */
static void cap_first(const struct softpt_time *t, struct interval *iv)
{
	uint64_t lo = 0, hi = iv->has_hi ? iv->hi : UINT64_MAX;

	if (!softpt_time_has_ticks(t) || !iv->cycles.counted)
		return;
	softpt_cycles_bound(t, &iv->cycles, &t->rec[0], &lo, &hi);
	if (hi == UINT64_MAX)
		return;
	cap_hi(iv, softpt_time_of_tick(t, softpt_time_tick(t, hi) + 1) - 1);
}

static void finish(struct softpt_record *rec, const struct interval *iv, uint64_t lo, uint64_t hi)
{
	if (hi < lo)	/* no softpt unit wrote this */
		hi = lo;
	rec->tsc_min = lo;
	rec->tsc_max = hi;
	if (iv->has_lo || lo)
		rec->flags |= SOFTPT_REC_HAS_MIN;
	if (hi != UINT64_MAX)
		rec->flags |= SOFTPT_REC_HAS_MAX;
	if (rec->tsc < lo)
		rec->tsc = lo;
	if (rec->tsc > hi)
		rec->tsc = hi;
}

/* A record of which the stream tells the very time. Return: its tsc_max */
static uint64_t pin(const struct softpt_time *t, const struct interval *iv,
		    struct softpt_record *rec, uint64_t hi)
{
	if (rec->private_ & SOFTPT_REC_PINNED && iv->to)
		hi = iv->to->lo;
	else if (rec->private_ & SOFTPT_REC_AT_ANCHOR)
		hi = t->from.lo;
	else
		return hi;
	rec->tsc_min = hi;
	return hi;
}

/* How the times of so many events are estimated */
static void spread(struct softpt_time *t, struct interval *iv, struct softpt_spread *s,
		   size_t events)
{
	const bool by_cycles = iv->cycles.to && t->cycles;

	if (iv->likely > iv->hi)
		iv->likely = iv->hi;
	if (by_cycles)
		iv->step = (double)(iv->to->lo - t->from.lo) / t->cycles;
	*s = (struct softpt_spread){
		.lo = iv->lo, .likely = iv->likely,
		.step = (double)(iv->likely - iv->lo) / (events + 1),
		.even = iv->has_lo && iv->has_hi && !by_cycles &&
			!iv->cycles.exact,
	};
}

/* Bounds by cycles: many records in a row have the same */
struct bounds {
	uint64_t from, to;	/* cycles */
	uint64_t lo, hi;
};

static void find_bounds(const struct softpt_time *t, const struct interval *iv,
			const struct softpt_record *rec, struct bounds *b)
{
	if (rec->tsc_min == b->from && rec->tsc_max == b->to)
		return;
	*b = (struct bounds){
		.from = rec->tsc_min,
		.to = rec->tsc_max,
		.lo = iv->has_lo ? iv->lo : 0,
		.hi = iv->has_hi ? iv->hi : UINT64_MAX,
	};
	if (iv->cycles.counted)
		softpt_cycles_bound(t, &iv->cycles, rec, &b->lo, &b->hi);
}

/* @latest: no later than the record behind */
static void resolve_record(const struct softpt_time *t, const struct interval *iv,
			   const struct softpt_spread *s, const struct bounds *b,
			   struct softpt_record *rec, size_t event, uint64_t latest)
{
	const uint64_t spare = b->to == UINT64_MAX ? 0 : (b->to - b->from) / 2;
	uint64_t hi = b->hi;

	rec->tsc_min = b->lo;
	if (rec->private_ & SOFTPT_REC_AT)
		hi = pin(t, iv, rec, hi);
	rec->tsc_max = hi < latest ? hi : latest;
	rec->tsc = rec->tsc_min;
	if (iv->has_lo && iv->has_hi)
		rec->tsc = estimate(t, iv, rec, s, b->from + spare, event);
}

/* Stream order is event order: upper bounds carry over backwards. */
static void resolve_back(struct softpt_time *t, const struct interval *iv,
			 const struct softpt_spread *s, size_t begin, size_t end, size_t event)
{
	const uint32_t stopped = begin ? SOFTPT_REC_STOPPED : 0;
	struct bounds b = { .from = UINT64_MAX, .to = 0 };	/* of no record */
	uint64_t latest = UINT64_MAX;
	size_t i;

	for (i = end; i-- > begin;) {
		struct softpt_record *rec = &t->rec[i];

		event -= softpt_record_events(rec);
		find_bounds(t, iv, rec, &b);
		resolve_record(t, iv, s, &b, rec, event, latest);
		latest = rec->tsc_max;
		rec->private_ = (rec->private_ & SOFTPT_REC_AT) | stopped |
				(uint32_t)event << SOFTPT_REC_ORDINAL_SHIFT;
	}
}

/* Lower bounds, and estimates, carry over forwards. */
static void resolve_on(struct softpt_time *t, const struct interval *iv, size_t begin, size_t end)
{
	uint64_t lo = iv->has_lo ? iv->lo : 0, tsc = 0;
	size_t i;

	for (i = begin; i < end; i++) {
		struct softpt_record *rec = &t->rec[i];

		if (rec->tsc_min > lo)
			lo = rec->tsc_min;
		finish(rec, iv, lo, rec->tsc_max);
		if (rec->tsc < tsc)
			rec->tsc = tsc;
		tsc = softpt_time_of_bit(t, rec, softpt_record_events(rec) - 1);
	}
}

/* Records begin..end of one interval, @events, between which nothing stopped */
static void resolve_range(struct softpt_time *t, struct interval *iv, size_t begin, size_t end,
			  size_t events)
{
	struct softpt_spread *s = &t->spread[begin > 0];

	spread(t, iv, s, events);
	resolve_back(t, iv, s, begin, end, events);
	resolve_on(t, iv, begin, end);
}

/* No bound of an interval that holds a stop goes across it. */
static void resolve_stopped(struct softpt_time *t, struct interval *iv)
{
	const bool stops = t->stop != SIZE_MAX;
	const size_t stop = stops ? t->stop : t->n, events = stops ? t->stop_events : t->events;
	struct interval after = *iv;

	cap_ticks(t, iv, 0);
	softpt_cycles_prepare(t, &iv->cycles, NULL);
	resolve_range(t, iv, 0, stop, events);
	if (stop < t->n)
		resolve_range(t, &after, stop, t->n, t->events - events);
}

/*
 * Where ticks may be missing before a stop, its closing anchor tells. So a TSC that comes then is
 * no restart's, whatever was cut off behind it.
 */
static bool may_be_restart(const struct softpt_time *t, enum softpt_end end)
{
	return end == SOFTPT_END_UNSURE && (!t->from.clock || !softpt_time_may_miss(t));
}

/**
 * softpt_resolve() - find the times of the records of an interval
 * @t: time; its rec[0..n) are resolved
 * @to: the anchor that ends it, or NULL
 * @end: its kind
 */
void softpt_resolve(struct softpt_time *t, const struct softpt_anchor *to, enum softpt_end end)
{
	struct interval iv = {
		.to = to, .lo = t->from.lo, .has_lo = t->from.valid, .likely = UINT64_MAX,
	};

	if (!t->n)
		return;
	if (t->stop != SIZE_MAX || end == SOFTPT_END_RESTART || may_be_restart(t, end)) {
		if (to)
			cap_hi(&iv, to->hi);
		resolve_stopped(t, &iv);
		return;
	}
	if (to) {
		softpt_time_close_open(t, t->cycles + to->slack);
		window(t, &iv, end);
	} else {
		cap_ticks(t, &iv, softpt_time_may_miss(t));
		/* Where ticks are missing at its end, a whole trace has a closing anchor. */
		iv.likely = before_tick(t, 0);
	}
	softpt_cycles_prepare(t, &iv.cycles, to);
	if (!to)
		cap_first(t, &iv);
	resolve_range(t, &iv, 0, t->n, t->events);
}
