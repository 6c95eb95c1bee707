// SPDX-License-Identifier: BSD-2-Clause
/* Rows of a walk -> rows of tables */
#include "export/sqlite/tables.h"

#include <string.h>

#include "export/sqlite/schema.h"
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

static void put_number(struct rows *rows, uint64_t number)
{
	if (number)
		rows_int(rows, number);
	else
		rows_null(rows);
}

void tables_time(struct rows *rows, const struct softpt_flow_time *when)
{
	if (!when) {
		rows_null(rows);
		rows_null(rows);
		rows_null(rows);
		return;
	}
	rows_int(rows, when->tsc);
	rows_int(rows, when->min);
	if (when->bounded)
		rows_int(rows, when->max);
	else
		rows_null(rows);
}

void tables_call(void *ctx, const struct report_call *call)
{
	struct tables *t = ctx;
	struct rows *rows = t->calls;
	const uint32_t task = tables_task(t, call->thread);

	if (!task)
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
	tables_time(rows, &call->begin);
	tables_time(rows, &call->end);
	rows_put(rows);
}

void tables_event(struct tables *t, const struct table_event *ev)
{
	struct rows *rows = t->events;

	rows_null(rows);	/* SQLite numbers them */
	rows_text(rows, ev->kind);
	put_number(rows, ev->task);
	put_number(rows, ev->call);
	if (ev->cpu < 0)
		rows_null(rows);
	else
		rows_int(rows, ev->cpu);
	if (ev->has_address)
		rows_int(rows, ev->address);
	else
		rows_null(rows);
	if (ev->has_value)
		rows_int(rows, ev->value);
	else
		rows_null(rows);
	rows_text(rows, ev->text);
	tables_time(rows, ev->begin);
	tables_time(rows, ev->end);
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

	rows_null(rows);
	rows_int(rows, tables_task(t, row->thread));
	put_number(rows, report_call_now(t->report, row->thread));
	put_number(rows, row->from);
	put_number(rows, row->ip);
	tables_time(rows, &row->when);
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
	return !t->failed && !database_error(t->d);
}

/* ---- functions ---- */

static void put_span(struct rows *rows, const struct report_span *s)
{
	rows_int(rows, s->ticks);
	rows_int(rows, s->min);
	if (s->unbounded)
		rows_null(rows);
	else
		rows_int(rows, s->max);
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
	put_span(rows, &g->untraced);
	put_span(rows, &g->lost);
	rows_put(rows);
}

void tables_functions(struct tables *t)
{
	struct rows *rows = rows_begin(t->d, "functions", COLUMNS_FUNCTIONS);
	size_t i;

	for (i = 0; rows && i < report_groups(t->report); i++)
		put_function(rows, report_group(t->report, i), i);
	rows_end(rows);
}
