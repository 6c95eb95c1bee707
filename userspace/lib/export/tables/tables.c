// SPDX-License-Identifier: BSD-2-Clause
/* Rows of a walk -> rows of tables */
#include "export/tables/tables.h"

#include <string.h>

#include "flow/process.h"

uint32_t tables_task(struct tables *t, const struct softpt_flow_thread *thread)
{
	if (thread == t->last)
		return t->last_task;
	t->last_task = tasks_find(&t->tasks, thread->pid, thread->tid);
	t->last = t->last_task ? thread : NULL;
	if (t->last_task)
		t->tasks.task[t->last_task - 1].followed = thread;
	else
		t->failed = true;
	return t->last_task;
}

static void put_known(struct rows *rows, bool known, int64_t number)
{
	if (known)
		rows_int(rows, number);
	else
		rows_null(rows);
}

/* There is no row 0. */
static void put_number(struct rows *rows, uint64_t number)
{
	put_known(rows, number, number);
}

/* ---- times ---- */

/* @when NULL: it is not known */
static void put_tsc(struct rows *rows, const struct softpt_flow_time *when)
{
	put_known(rows, when, when ? when->tsc : 0);
	put_known(rows, when, when ? when->min : 0);
	put_known(rows, when && when->bounded, when ? when->max : 0);
}

static int64_t ns_of(const struct tables *t, uint64_t tsc)
{
	return softpt_perf_time(t->perf, tsc);
}

static void put_ns(const struct tables *t, struct rows *rows, const struct softpt_flow_time *when)
{
	const bool known = when && t->clock.known;

	put_known(rows, known, known ? ns_of(t, when->tsc) : 0);
	put_known(rows, known, known ? ns_of(t, when->min) : 0);
	put_known(rows, known && when->bounded, known ? ns_of(t, when->max) : 0);
}

static int64_t ns_between(const struct tables *t, const struct softpt_flow_time *begin,
			  const struct softpt_flow_time *end)
{
	const int64_t ns = ns_of(t, end->tsc) - ns_of(t, begin->tsc);

	return ns > 0 ? ns : 0;
}

static void put_duration(const struct tables *t, struct rows *rows,
			 const struct softpt_flow_time *begin, const struct softpt_flow_time *end)
{
	const bool known = begin && end, ns = known && t->clock.known;

	put_known(rows, known, known ? report_between(begin->tsc, end->tsc) : 0);
	rows_int(rows, known && begin->bounded ? report_between(begin->max, end->min) : 0);
	put_known(rows, known && end->bounded, known ? report_between(begin->min, end->max) : 0);
	put_known(rows, ns, ns ? ns_between(t, begin, end) : 0);
}

/* From begin to end; NULL: not known */
static void put_times(const struct tables *t, struct rows *rows,
		      const struct softpt_flow_time *begin, const struct softpt_flow_time *end)
{
	put_tsc(rows, begin);
	put_tsc(rows, end);
	if (!t->to->format->stored)
		return;
	put_ns(t, rows, begin);
	put_ns(t, rows, end);
	put_duration(t, rows, begin, end);
}

/* ---- calls and events ---- */

void tables_call(void *ctx, const struct report_call *call)
{
	struct tables *t = ctx;
	struct rows *rows = t->calls;
	const uint32_t task = tables_task(t, call->thread);

	if (!task || !rows)
		return;
	rows_int(rows, call->id);
	put_number(rows, call->parent);
	rows_int(rows, task);
	rows_int(rows, call->group);
	rows_int(rows, call->depth);
	rows_int(rows, call->self);
	rows_int(rows, call->total);
	rows_int(rows, call->seen);
	rows_int(rows, call->complete);
	rows_int(rows, !call->outer);
	put_times(t, rows, &call->begin, &call->end);
	rows_put(rows);
}

void tables_event(struct tables *t, const struct table_event *ev)
{
	struct rows *rows = t->events;

	if (!rows)
		return;
	rows_int(rows, ++t->nr_events);
	rows_text(rows, ev->kind);
	put_number(rows, ev->task);
	put_number(rows, ev->call);
	put_known(rows, ev->cpu >= 0, ev->cpu);
	put_known(rows, ev->has_address, ev->address);
	put_known(rows, ev->has_value, ev->value);
	rows_text(rows, ev->text);
	put_times(t, rows, ev->begin, ev->end);
	rows_put(rows);
}

/* ---- rows of a walk ---- */

static bool is_handler(const struct softpt_flow_row *row)
{
	const struct softpt_flow_thread *thread = row->thread;

	return row->event == SOFTPT_FLOW_BEGIN && thread->frames &&
	       thread->frame[thread->frames - 1].handler;
}

static void happened(struct tables *t, const struct softpt_flow_row *row)
{
	struct table_event ev = {
		.kind = is_handler(row) ? "signal" : softpt_flow_event_name(row->event),
		.task = tables_task(t, row->thread),
		.call = report_call_now(t->report, row->thread),
		.cpu = row->cpu,
		.address = row->ip,
		.has_address = row->ip,
		.text = row->error,
		.begin = row->since.tsc ? &row->since : &row->when,
		.end = &row->when,
	};

	if (row->event == SOFTPT_FLOW_PTW || row->event == SOFTPT_FLOW_TRIGGER) {
		ev.has_value = true;
		ev.value = row->value;
	}
	tables_event(t, &ev);
}

static void branch(struct tables *t, const struct softpt_flow_row *row)
{
	struct rows *rows = t->branches;

	rows_int(rows, ++t->nr_branches);
	rows_int(rows, tables_task(t, row->thread));
	put_number(rows, report_call_now(t->report, row->thread));
	put_number(rows, row->from);
	put_number(rows, row->ip);
	put_tsc(rows, &row->when);
	if (t->to->format->stored)
		put_ns(t, rows, &row->when);
	rows_put(rows);
}

bool tables_take(struct tables *t, const struct softpt_flow_row *row)
{
	if (1u << row->event & REPORT_ROWS && !report_take(t->report, row)) {
		t->failed = true;
		return false;
	}
	switch (row->event) {
	case SOFTPT_FLOW_CALL:
	case SOFTPT_FLOW_JUMP:
	case SOFTPT_FLOW_RETURN:
		break;
	case SOFTPT_FLOW_BRANCH:
		branch(t, row);
		break;
	default:
		happened(t, row);
	}
	return !t->failed && !t->to->err;
}

/* ---- functions ---- */

static void put_span(struct rows *rows, const struct report_span *s)
{
	rows_int(rows, s->ticks);
	rows_int(rows, s->min);
	put_known(rows, !s->unbounded, s->max);
}

static void put_function(struct rows *rows, const struct report_group *g, size_t number)
{
	char name[REPORT_NAME_MAX];

	rows_int(rows, number);
	rows_text(rows, g->name);
	rows_text(rows, report_function_name(g, name));
	rows_text(rows, g->module);
	rows_text(rows, g->path);
	rows_int(rows, g->address);
	rows_text(rows, g->source);
	put_number(rows, g->line);
	rows_int(rows, g->calls);
	rows_int(rows, g->incomplete);
	rows_int(rows, g->self);
	rows_int(rows, g->total);
	put_span(rows, &g->self_time);
	put_span(rows, &g->total_time);
	put_span(rows, &g->parts.untraced);
	put_span(rows, &g->parts.lost);
	rows_put(rows);
}

void tables_functions(struct tables *t)
{
	struct rows *rows = rows_begin(t->to, &table_functions);
	size_t i;

	for (i = 0; rows && i < report_groups(t->report); i++)
		put_function(rows, report_group(t->report, i), i);
	rows_end(rows);
}
