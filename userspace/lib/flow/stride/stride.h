/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of several branches */
#ifndef SOFTPT_FLOW_STRIDE_STRIDE_H
#define SOFTPT_FLOW_STRIDE_STRIDE_H

#include "code/strides.h"
#include "flow/records.h"

/**
 * struct flow_stride - branches in a row, none of which leaves its function
 * @start: where it begins
 * @branch: the branches
 * @n: how many
 * @cut: it is not all of the stride
 * @told: how many of them rows were made of
 * @bits: outcomes that those needed
 * @records: at the first outcome of all
 * @outcomes: how many there are
 * @instructions: up to the last branch
 * @tsc: estimates of the times of outcomes, once @timed
 * @timed: they are known
 * @place: of the stride in its table: less than STRIDES
 * @found: its number: where it is the same in a place, so is the stride
 */
struct flow_stride {
	uint64_t start;
	const struct stride_branch *branch;
	unsigned int n;
	bool cut;
	unsigned int told;
	unsigned int bits;
	const struct flow_records *records;
	unsigned int outcomes;
	unsigned int instructions;
	bool timed;
	uint64_t tsc[STRIDE_BITS];
	unsigned int place;
	uint64_t found;
};

/* Times are asked for. */
static inline void flow_stride_find_times(struct flow_stride *s)
{
	if (!s->timed)
		flow_records_times(s->records, s->outcomes, s->tsc);
	s->timed = true;
}

/* Gets a stride as a whole, which a thread went. Return: false to end the walk */
typedef bool (*flow_stride_fn)(void *context, const struct softpt_flow_thread *thread,
			       const struct flow_stride *s);

/* When the branch happened that is to be told next, once times are found */
static inline void flow_stride_time(const struct flow_stride *s, struct softpt_flow_time *when)
{
	if (!s->branch[s->told].bit) {
		*when = flow_records_before_bit(s->records, s->bits);
		return;
	}
	*when = flow_records_bounds(s->records);
	when->tsc = s->tsc[s->bits];
}

/* Where what comes before it begins */
static inline uint64_t flow_stride_start(const struct flow_stride *s)
{
	return s->told ? s->branch[s->told - 1].to : s->start;
}

/* It is told. */
static inline void flow_stride_pass(struct flow_stride *s)
{
	s->bits += s->branch[s->told++].bit;
}

#endif /* SOFTPT_FLOW_STRIDE_STRIDE_H */
