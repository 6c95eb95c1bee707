// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows of a path -> sums. What was executed between two rows of a thread belongs to the function
 * on top of its stack; what a call cost in all is known when it returns.
 */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

#include "report/away.h"
#include "report/stack.h"

struct report {
	struct report_groups groups;
	struct report_link_table links;
	struct report_threads threads;
	enum report_links keep;
	uint32_t tid;
	uint64_t entered;	/* functions */
	report_call_fn each;
	void *ctx;		/* for @each */
	bool failed;		/* for want of memory */
	struct report_totals totals;
};

struct report *report_new(enum report_by by, enum report_links links, uint32_t tid)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->keep = links;
	r->tid = tid;
	if (!groups_begin(&r->groups, by))
		return r;
	report_free(r);
	return NULL;
}

void report_want_lines(struct report *r)
{
	r->groups.lines = true;
}

void report_each_call(struct report *r, report_call_fn each, void *ctx)
{
	r->each = each;
	r->ctx = ctx;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	groups_free(&r->groups);
	links_free(&r->links);
	threads_free(&r->threads);
	free(r);
}

/* ---- what was executed since the last row ---- */

static bool is_same_time(const struct softpt_flow_time *a, const struct softpt_flow_time *b)
{
	return a->tsc == b->tsc && a->min == b->min && a->max == b->max;
}

static void charge_time(struct report *r, struct report_thread *t, uint32_t group,
			const struct softpt_flow_time *now)
{
	struct report_slot *slot;

	switch (t->state) {
	case REPORT_UNSEEN:
		return;
	case REPORT_UNTRACED:
	case REPORT_LOST:
		away_add(t, now);
		return;
	case REPORT_TRACED:
		break;
	}
	slot = stack_slot(t, group);
	if (!slot) {
		r->failed = true;
		return;
	}
	report_span_add(&r->groups.group[group].self_time, &t->last, now, &slot->self_covered);
	report_span_add(&t->traced, &t->last, now, &t->covered);
}

/* Several rows may tell of one moment: no time is between them. */
static void charge(struct report *r, struct report_thread *t, const struct softpt_flow_row *row)
{
	const struct report_frame *top = stack_top(t);
	const uint32_t group = top ? top->group : REPORT_UNKNOWN;
	const uint64_t insns = row->executed - t->executed;

	r->groups.group[group].self += insns;
	r->totals.instructions += insns;
	if (r->keep == REPORT_TREE && top)
		r->links.link[top->link].self += insns;
	if (insns || !is_same_time(&t->last, &row->when))
		charge_time(r, t, group, &row->when);
	t->executed = row->executed;
	t->last = row->when;
}

/* ---- calls ---- */

/* In the tree no path has a group twice: what calls itself, by others too, stays one node. */
static uint32_t find_link(struct report *r, struct report_thread *t,
			  const struct report_slot *slot, uint32_t group)
{
	const struct report_frame *caller = stack_top(t);
	uint32_t link;

	if (r->keep == REPORT_NO_LINKS)
		return INDEX_NEW;
	if (r->keep == REPORT_TREE && slot->active)
		return slot->link;
	if (r->keep == REPORT_TREE)
		link = links_find(&r->links, caller ? caller->link : REPORT_ROOT, group);
	else
		link = links_find(&r->links, caller ? caller->group : REPORT_ROOT, group);
	if (link == INDEX_NEW)
		r->failed = true;
	return link;
}

static void count_call(struct report *r, uint32_t group, uint32_t link)
{
	r->groups.group[group].calls++;
	r->totals.calls++;
	if (link != INDEX_NEW)
		r->links.link[link].calls++;
}

/* @seen: the function begins here */
static void enter(struct report *r, struct report_thread *t, uint64_t ip, bool seen)
{
	uint32_t group = groups_find(&r->groups, t->thread, ip), link;
	struct report_slot *slot = group == INDEX_NEW ? NULL : stack_slot(t, group);
	struct report_frame *frame;

	if (!slot) {
		r->failed = true;
		return;
	}
	link = find_link(r, t, slot, group);
	frame = r->failed ? NULL : stack_push(t);
	if (!frame) {
		r->failed = true;
		return;
	}
	frame->group = group;
	frame->link = link;
	frame->seen = seen;
	frame->outer = !slot->active++;
	frame->away = false;
	frame->id = ++r->entered;
	frame->executed = t->executed;
	frame->inner = 0;
	frame->when = t->last;
	frame->losses = t->losses;
	slot->link = link;
	if (seen)
		count_call(r, group, link);
}

static void add_call(struct report *r, const struct report_thread *t, const struct report_frame *f)
{
	struct report_group *g = &r->groups.group[f->group];
	struct report_span d;

	report_duration(&f->when, &t->last, &d);
	if (spread_add(&g->insns, t->executed - f->executed) || spread_add(&g->ticks, d.ticks) ||
	    spread_add(&g->low, d.min) || spread_add(&g->high, d.max))
		r->failed = true;
}

static void add_to_link(struct report *r, struct report_thread *t, const struct report_frame *f,
			uint64_t insns)
{
	struct report_link *link = &r->links.link[f->link];
	uint64_t *covered = stack_link_covered(t, f->link);

	link->total += insns;
	if (f->away)
		report_span_sum(&link->wait, &f->parts.wait);
	if (covered)
		report_span_add(&link->time, &f->when, &t->last, covered);
	else
		r->failed = true;
}

static void add_total(struct report *r, struct report_thread *t, const struct report_frame *f,
		      struct report_slot *slot)
{
	struct report_group *g = &r->groups.group[f->group];
	const uint64_t insns = t->executed - f->executed;

	g->total += insns;
	report_span_add(&g->total_time, &f->when, &t->last, &slot->total_covered);
	if (f->away)
		report_parts_sum(&g->parts, &f->parts);
	if (f->link != INDEX_NEW)
		add_to_link(r, t, f, insns);
}

static void count_incomplete(struct report *r, uint32_t group)
{
	r->groups.group[group].incomplete++;
	r->totals.incomplete++;
}

/* What it executed is no longer its caller's own; it was away in the time of its caller, too. */
static void pass_on(struct report_thread *t, const struct report_frame *f)
{
	struct report_frame *caller = stack_top(t);

	if (!caller)
		return;
	caller->inner += t->executed - f->executed;
	away_pass_on(caller, f);
}

static void tell_call(const struct report *r, const struct report_thread *t, bool complete)
{
	struct report_call call;

	if (!r->each)
		return;
	call_of(t, complete, &call);
	r->each(r->ctx, &call);
}

/* @seen: the function ends here */
static void leave(struct report *r, struct report_thread *t, bool seen)
{
	const struct report_frame *f = stack_top(t);
	struct report_slot *slot = &t->slot[f->group];
	const bool complete = f->seen && seen && f->losses == t->losses;

	slot->active--;
	tell_call(r, t, complete);
	if (complete)
		add_call(r, t, f);
	else
		count_incomplete(r, f->group);
	if (f->outer)
		add_total(r, t, f, slot);
	t->frames--;
	pass_on(t, f);
}

/* ---- rows ---- */

/* How many functions the thread had before a row, as the walk knows */
static uint32_t frames_before(const struct report_thread *t, const struct softpt_flow_row *row)
{
	const struct softpt_flow_thread *thread = row->thread;

	if (thread->beyond)
		return t->frames;
	switch (row->event) {
	case SOFTPT_FLOW_CALL:
	case SOFTPT_FLOW_JUMP:
		return row->depth;
	case SOFTPT_FLOW_RETURN:
		return row->depth + 1;
	case SOFTPT_FLOW_BEGIN:
		return t->frames == row->depth + 1 ? t->frames : row->depth;
	default:
		break;
	}
	/* What was called through a stub is not known yet. */
	if (thread->frames && !thread->frame[thread->frames - 1].ip)
		return thread->frames - 1;
	return thread->frames;
}

/* Functions whose calls nobody saw, and those that an exec has left */
static void settle(struct report *r, struct report_thread *t, uint32_t frames)
{
	while (t->frames > frames)
		leave(r, t, false);
	while (t->frames < frames && !r->failed)
		enter(r, t, t->thread->frame[t->frames].ip, false);
}

static void call(struct report *r, struct report_thread *t, const struct softpt_flow_row *row)
{
	if (!row->thread->beyond)
		enter(r, t, row->ip, true);
	else
		r->totals.deep++;
}

/* Where a trace begins may be amid a function. */
static void begin(struct report *r, struct report_thread *t, const struct softpt_flow_row *row)
{
	struct softpt_symbol sym;

	if (t->frames == row->depth + 1)
		return;
	symbols_find(row->thread->process->symbols, row->ip, &sym);
	enter(r, t, row->ip, sym.name && sym.start == row->ip);
}

static void take(struct report *r, struct report_thread *t, const struct softpt_flow_row *row)
{
	switch (row->event) {
	case SOFTPT_FLOW_CALL:
	case SOFTPT_FLOW_JUMP:
		call(r, t, row);
		break;
	case SOFTPT_FLOW_BEGIN:
		begin(r, t, row);
		break;
	case SOFTPT_FLOW_RETURN:
		leave(r, t, true);
		break;
	case SOFTPT_FLOW_OFF:
		t->state = REPORT_UNTRACED;
		return;
	case SOFTPT_FLOW_OVERFLOW:
	case SOFTPT_FLOW_LOST:
		t->losses++;
		t->state = REPORT_LOST;
		return;
	case SOFTPT_FLOW_END:
		t->state = REPORT_UNSEEN;
		return;
	default:
		break;
	}
	t->state = REPORT_TRACED;
}

bool report_take(struct report *r, const struct softpt_flow_row *row)
{
	struct report_thread *t;
	uint32_t frames;

	if (r->tid && row->tid != r->tid)
		return true;
	t = threads_get(&r->threads, row->thread);
	if (!t) {
		r->failed = true;
		return false;
	}
	if (row->event == SOFTPT_FLOW_SWITCH_IN) {
		away_wait(t, row);
		return true;
	}
	if (t->state == REPORT_UNSEEN)
		t->last = row->when;
	frames = frames_before(t, row);
	if (frames != t->frames)
		settle(r, t, frames);
	charge(r, t, row);
	if (!r->failed)
		take(r, t, row);
	return !r->failed;
}

/* ---- the end ---- */

static void add_thread(struct report_totals *totals, const struct report_thread *t)
{
	totals->threads++;
	report_span_sum(&totals->traced, &t->traced);
	report_parts_sum(&totals->parts, &t->parts);
}

int report_finish(struct report *r)
{
	uint32_t i;

	for (i = 0; i < r->threads.n && !r->failed; i++) {
		settle(r, r->threads.thread[i], 0);
		add_thread(&r->totals, r->threads.thread[i]);
	}
	return r->failed ? -ENOMEM : 0;
}

uint64_t report_call_now(struct report *r, const struct softpt_flow_thread *thread)
{
	const struct report_thread *t = threads_get(&r->threads, thread);
	const struct report_frame *top = t ? stack_top(t) : NULL;

	return top ? top->id : 0;
}

const struct report_totals *report_totals(const struct report *r)
{
	return &r->totals;
}

const struct report_group *report_group(const struct report *r, size_t i)
{
	return &r->groups.group[i];
}

size_t report_groups(const struct report *r)
{
	return r->groups.n;
}

const struct report_link *report_link(const struct report *r, size_t i)
{
	return &r->links.link[i];
}

size_t report_links(const struct report *r)
{
	return r->links.n;
}
