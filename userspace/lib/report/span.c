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

void report_span_since(struct report_span *s, const struct report_span *now,
		       const struct report_span *before)
{
	s->ticks += now->ticks - before->ticks;
	s->min += now->min - before->min;
	s->max += now->max - before->max;
	s->unbounded += now->unbounded - before->unbounded;
}
