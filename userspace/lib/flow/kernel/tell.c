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

static void come(struct flow_lanes *w, struct softpt_flow_thread *t, struct softpt_flow_row *row,
		 const struct softpt_flow_time *when)
{
	const uint64_t waited = since(t->out_at.tsc, when->tsc);

	row->since = t->out_at;
	t->out_at.tsc = 0;
	t->waited += waited;
	w->totals->waiting += waited;
}

/* Whether the next event of a CPU gives it to a thread */
static bool brings(const struct flow_lane *l, uint32_t tid)
{
	if (!l->kernel || !l->more)
		return false;
	if (l->event.event == SOFTPT_FLOW_SWITCH_IN)
		return l->event.tid == tid;
	return kernel_events_comes(l->kernel) == tid;
}

static const struct flow_lane *find_bringer(const struct flow_lanes *w, const struct flow_lane *l)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (brings(&w->lane[i], l->thread->tid))
			return &w->lane[i];
	return l;
}

/*
 * A thread that enters or leaves the kernel has a CPU. If it left one before, it has come to this
 * one meanwhile, although the estimate of that is later.
 */
static void settle_wait(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_SWITCH_IN, .depth = flow_depth(t) + 1 };
	const struct flow_lane *from;
	struct flow_lane teller;

	if (!t->out_at.tsc || !t->out_at.bounded || t->out_at.max >= l->when.min)
		return;
	from = find_bringer(w, l);
	teller = *from;
	teller.thread = t;
	teller.when = l->when;
	teller.when.min = t->out_at.min;
	if (from != l && from->when.min <= l->when.min)
		teller.when.min = from->when.min;
	come(w, t, &row, &teller.when);
	flow_put_row(w, &teller, &row);
}

void kernel_tell_leave(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_SYSCALL, .ip = l->step.from, .value = l->step.call - 1,
		.depth = flow_depth(t) + 1,
	};

	settle_wait(w, l);
	if (w->kernel && t->back_at)
		add(&w->totals->user, t, t->back_at, l->when.tsc);
	t->back_at = 0;
	if (l->step.call)
		flow_put_row(w, l, &row);
}

void kernel_tell_back(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;

	settle_wait(w, l);
	if (w->kernel && t->left)
		add(&w->totals->kernel, t, t->left_at.tsc, l->when.tsc);
	t->back_at = l->when.tsc;
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
