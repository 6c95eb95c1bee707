/* SPDX-License-Identifier: BSD-2-Clause */
/* What cycles say of times: the core clock is no faster and no slower than the platform allows */
#ifndef SOFTPT_TIME_CYCLES_H
#define SOFTPT_TIME_CYCLES_H

#include "time/interval.h"

/**
 * struct softpt_cycles - the cycles of an interval
 * @counted: from the anchor before
 * @to: and to this anchor; NULL: not
 * @exact: the core clock is known all along
 * @from_slack: ticks << SOFTPT_FRAC that the anchor before may lie after its CYC
 * @total_fast: least ticks << SOFTPT_FRAC from anchor to anchor
 * @total_slow: and most
 * @one: the uncertain cycle, in ticks << SOFTPT_FRAC
 */
struct softpt_cycles {
	const struct softpt_anchor *to;
	bool counted;
	bool exact;
	uint64_t from_slack;
	uint64_t total_fast;
	uint64_t total_slow;
	uint64_t one;
};

/* From this position on the core clock has this ratio; 0: unknown */
void softpt_segment_begin(struct softpt_time *t, uint8_t ratio);

/* @c: all zero. @to: NULL: cycles are not counted to the anchor that ends the interval */
void softpt_cycles_prepare(struct softpt_time *t, struct softpt_cycles *c,
			   const struct softpt_anchor *to);

/* Narrow the bounds of a record by its cycles, tsc_min to tsc_max since the anchor */
void softpt_cycles_bound(const struct softpt_time *t, const struct softpt_cycles *c,
			 const struct softpt_record *rec, uint64_t *lo, uint64_t *hi);

#endif /* SOFTPT_TIME_CYCLES_H */
