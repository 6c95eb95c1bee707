/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a recording while it is walked */
#ifndef SOFTPT_EXPORT_TABLES_TABLES_H
#define SOFTPT_EXPORT_TABLES_TABLES_H

#include "export/tables/rows.h"
#include "export/tables/tasks.h"
#include "report/report.h"

/**
 * struct tables - what rows are written of
 * @to: where to
 * @perf: the recording
 * @clock: its clock
 * @report: its calls, and the sums of its functions
 * @tasks: its threads
 * @calls: rows of the table of this name, NULL: they are not wanted; so are the next two
 * @events: one by one, as they happen
 * @branches: the same
 * @nr_events: how many there were
 * @nr_branches: the same
 * @last: the thread of the newest call
 * @last_task: its number
 * @failed: for want of memory
 */
struct tables {
	struct table_writer *to;
	const struct softpt_perf *perf;
	struct perf_clock clock;
	struct report *report;
	struct tasks tasks;
	struct rows *calls;
	struct rows *events;
	struct rows *branches;
	uint64_t nr_events;
	uint64_t nr_branches;
	const struct softpt_flow_thread *last;
	uint32_t last_task;
	bool failed;
};

/**
 * struct table_event - a row of the table of events
 * @kind: its name
 * @task: the thread's number, 0: none
 * @call: the call's number, 0: none
 * @cpu: -1: not known
 * @address: with @has_address
 * @value: with @has_value
 * @has_address: there is one
 * @has_value: there is one
 * @text: NULL: none
 * @begin: NULL: not known
 * @end: NULL: not known
 */
struct table_event {
	const char *kind;
	uint32_t task;
	uint64_t call;
	int cpu;
	uint64_t address;
	uint64_t value;
	bool has_address;
	bool has_value;
	const char *text;
	const struct softpt_flow_time *begin;
	const struct softpt_flow_time *end;
};

/* The number of a thread that is followed. Return: 0 without memory, and @t->failed is set */
uint32_t tables_task(struct tables *t, const struct softpt_flow_thread *thread);
void tables_event(struct tables *t, const struct table_event *ev);

/* What happened on the path: a row of the walk. Return: false: it may end */
bool tables_take(struct tables *t, const struct softpt_flow_row *row);
/* For report_each_call() */
void tables_call(void *ctx, const struct report_call *call);
/* What the kernel's records tell: mappings, names, children, code that changed */
void tables_records(struct tables *t);
/* Sums of functions, behind the walk */
void tables_functions(struct tables *t);

/**
 * tables_export() - walk a recording, and write its tables
 * @e: what is written, and how
 * @streams: of one recording
 * @nr: how many
 * @format: gets the tables
 *
 * Return: 0; -errno, @e->errors was told. -EILSEQ: the path is lost somewhere, the rest was written
 */
int tables_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		  const struct table_format *format);

#endif /* SOFTPT_EXPORT_TABLES_TABLES_H */
