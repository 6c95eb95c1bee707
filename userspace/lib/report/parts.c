// SPDX-License-Identifier: BSD-2-Clause
#include "report/parts.h"

void report_parts_sum(struct report_parts *p, const struct report_parts *other)
{
	report_span_sum(&p->untraced, &other->untraced);
	report_span_sum(&p->lost, &other->lost);
	report_span_sum(&p->wait, &other->wait);
	report_span_sum(&p->wait_untraced, &other->wait_untraced);
}

void report_parts_kernel(const struct report_parts *p, struct report_span *kernel)
{
	*kernel = p->untraced;
	report_span_less(kernel, &p->wait_untraced);
}

void report_parts_user(const struct report_parts *p, const struct report_span *time,
		       struct report_span *user)
{
	struct report_span wait = p->wait;

	report_span_less(&wait, &p->wait_untraced);
	*user = *time;
	report_span_less(user, &p->untraced);
	report_span_less(user, &p->lost);
	report_span_less(user, &wait);
}
