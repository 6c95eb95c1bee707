// SPDX-License-Identifier: BSD-2-Clause
#include "report/away.h"

static void begin_away(struct report_frame *f)
{
	if (f->away)
		return;
	f->away = true;
	f->parts = (struct report_parts){ 0 };
}

/* What is not traced is too seldom to overlap: each time is added as it is. */
void away_add(struct report_thread *t, const struct softpt_flow_time *now)
{
	const bool lost = t->state == REPORT_LOST;
	struct report_frame *top = stack_top(t);
	uint64_t covered = 0;

	report_span_add(lost ? &t->parts.lost : &t->parts.untraced, &t->last, now, &covered);
	if (!top)
		return;
	begin_away(top);
	covered = 0;
	report_span_add(lost ? &top->parts.lost : &top->parts.untraced, &t->last, now, &covered);
}

/* Waits are whole: what the thread is in when it has a CPU again is what it was in before. */
void away_wait(struct report_thread *t, const struct softpt_flow_row *row)
{
	struct report_parts parts = { 0 };
	struct report_frame *top = stack_top(t);

	report_duration(&row->since, &row->when, &parts.wait);
	if (t->state == REPORT_UNTRACED)
		parts.wait_untraced = parts.wait;
	report_parts_sum(&t->parts, &parts);
	if (!top)
		return;
	begin_away(top);
	report_parts_sum(&top->parts, &parts);
}

void away_pass_on(struct report_frame *caller, const struct report_frame *f)
{
	if (!f->away)
		return;
	begin_away(caller);
	report_parts_sum(&caller->parts, &f->parts);
}
