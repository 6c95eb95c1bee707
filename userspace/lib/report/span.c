// SPDX-License-Identifier: BSD-2-Clause
#include "report/span.h"

bool report_duration(const struct softpt_flow_time *from, const struct softpt_flow_time *to,
		     struct report_span *d)
{
	*d = (struct report_span){
		.ticks = report_between(from->tsc, to->tsc),
		.min = from->bounded ? report_between(from->max, to->min) : 0,
		.max = to->bounded ? report_between(from->min, to->max) : UINT64_MAX,
		.unbounded = !to->bounded,
	};
	return to->bounded;
}

void report_span_sum(struct report_span *s, const struct report_span *other)
{
	s->ticks += other->ticks;
	s->min += other->min;
	s->max += other->max;
	s->unbounded += other->unbounded;
}

void report_span_less(struct report_span *s, const struct report_span *part)
{
	s->ticks = report_between(part->ticks, s->ticks);
	s->min = part->unbounded ? 0 : report_between(part->max, s->min);
	s->max = report_between(part->min, s->max);
	if (s->ticks < s->min)
		s->ticks = s->min;
	if (!s->unbounded && s->ticks > s->max)
		s->ticks = s->max;
}
