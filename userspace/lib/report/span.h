/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of durations, with their bounds */
#ifndef SOFTPT_REPORT_SPAN_H
#define SOFTPT_REPORT_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>

/**
 * struct report_span - a sum of durations, in TSC ticks
 * @ticks: by the times that are told
 * @min: not shorter
 * @max: not longer, if @unbounded is 0
 * @unbounded: durations whose end nothing bounds
 */
struct report_span {
	uint64_t ticks;
	uint64_t min;
	uint64_t max;
	uint64_t unbounded;
};

static inline uint64_t report_between(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* One duration. Return: whether its upper bound is known */
bool report_duration(const struct softpt_flow_time *from, const struct softpt_flow_time *to,
		     struct report_span *d);

/* A sum of other durations */
void report_span_sum(struct report_span *s, const struct report_span *other);

/* What is left of @s without a part of it */
void report_span_less(struct report_span *s, const struct report_span *part);

/**
 * report_span_add() - add a duration of a thread to a sum
 * @s: the sum
 * @from: when it began
 * @to: when it ended; durations of a sum do not overlap
 * @covered: up to where durations of the same thread have raised the upper bound of @s, 0 at first
 *
 * Durations may be much shorter than the bounds of their ends. All those between two known times
 * are together no longer than what is between: the upper bound counts each tick once.
 */
static inline void report_span_add(struct report_span *s, const struct softpt_flow_time *from,
				   const struct softpt_flow_time *to, uint64_t *covered)
{
	s->ticks += report_between(from->tsc, to->tsc);
	if (from->bounded)
		s->min += report_between(from->max, to->min);
	if (!to->bounded) {
		s->unbounded++;
		return;
	}
	s->max += report_between(from->min > *covered ? from->min : *covered, to->max);
	if (to->max > *covered)
		*covered = to->max;
}

#endif /* SOFTPT_REPORT_SPAN_H */
