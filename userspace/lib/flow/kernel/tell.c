// SPDX-License-Identifier: BSD-2-Clause
/* A thread's time is its own, the kernel's on its behalf, or nobody's: it waits. */
#include "flow/kernel/tell.h"

#include <softpt/packets.h>

static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* Of a stretch, what the thread did not wait */
static void add(uint64_t *sum, struct softpt_flow_thread *t, uint64_t from, uint64_t to)
{
	*sum += since(t->waited, since(from, to));
	t->waited = 0;
}

void kernel_tell_leave(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_SYSCALL, .ip = l->step.from, .value = l->step.call - 1,
		.depth = flow_depth(t) + 1,
	};

	if (w->kernel && t->back_at)
		add(&w->totals->user, t, t->back_at, l->when.tsc);
	t->back_at = 0;
	if (l->step.call)
		flow_put_row(w, l, &row);
}

void kernel_tell_back(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;

	if (w->kernel && t->left)
		add(&w->totals->kernel, t, t->left_at.tsc, l->when.tsc);
	t->back_at = l->when.tsc;
}

static void come(struct flow_lanes *w, struct softpt_flow_thread *t, struct softpt_flow_row *row,
		 const struct softpt_flow_time *when)
{
	const uint64_t waited = since(t->out_at.tsc, when->tsc);

	row->since = t->out_at;
	t->out_at.tsc = 0;
	t->waited += waited;
	w->totals->waiting += waited;
}

/* Whoever ends has nothing to wait for. Return: whether it is to be told */
static bool is_told(struct flow_lanes *w, struct softpt_flow_thread *t,
		    struct softpt_flow_row *row, const struct softpt_flow_time *when)
{
	if (row->event == SOFTPT_FLOW_SWITCH_OUT && row->value == SOFTPT_LEFT_ENDED)
		return false;
	if (row->event == SOFTPT_FLOW_SWITCH_IN && !t->out_at.tsc)
		return false;
	if (row->event == SOFTPT_FLOW_SWITCH_OUT)
		t->out_at = *when;
	else if (row->event == SOFTPT_FLOW_SWITCH_IN)
		come(w, t, row, when);
	return true;
}

/* Only what the program's threads meet, from their first instruction on */
void kernel_tell(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = flow_processes_thread(w->processes, l->event.tid);
	struct softpt_flow_row row = { .event = l->event.event, .value = l->event.value };

	if (!t || !(t->back_at || t->left) || !is_told(w, t, &row, &l->when))
		return;
	row.depth = flow_depth(t) + 1;
	l->thread = t;
	flow_put_row(w, l, &row);
	l->thread = NULL;
}
