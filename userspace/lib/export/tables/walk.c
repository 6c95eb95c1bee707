// SPDX-License-Identifier: BSD-2-Clause
/* A recording is walked once: rows are written as it goes, sums behind it. */
#include <errno.h>
#include <stdlib.h>

#include "export/tables/tables.h"
#include "flow/path.h"

/* Rows of what happens, beside those that the report takes */
#define EVENT_ROWS \
	(1u << SOFTPT_FLOW_KERNEL | 1u << SOFTPT_FLOW_INTERRUPT | 1u << SOFTPT_FLOW_PTW | \
	 1u << SOFTPT_FLOW_TRIGGER)

struct job {
	const struct export *e;
	struct tables tables;
	struct flow_path path;
};

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct job *j = context;

	return tables_take(&j->tables, row);
}

/* ---- what the file says of itself ---- */

static void put_meta(struct rows *rows, const char *key, const char *value)
{
	rows_text(rows, key);
	rows_text(rows, value);
	rows_put(rows);
}

static void put_count(struct rows *rows, const char *key, uint64_t value)
{
	rows_text(rows, key);
	rows_int(rows, value);
	rows_put(rows);
}

static void put_clock(struct rows *rows, const struct perf_clock *clock)
{
	put_meta(rows, "unit_tsc", "ticks of the TSC");
	put_meta(rows, "unit_ns",
		 clock->known ? "nanoseconds of perf's clock" : "not known: the columns are null");
	if (!clock->known)
		return;
	put_count(rows, "tsc_frequency", perf_clock_frequency(clock));
	put_count(rows, "ns_zero", clock->zero);
	put_count(rows, "ns_mult", clock->mult);
	put_count(rows, "ns_shift", clock->shift);
}

static void put_about(struct job *j)
{
	const struct report_totals *totals = report_totals(j->tables.report);
	struct rows *rows = rows_begin(j->tables.to, &table_meta);

	if (!rows)
		return;
	put_meta(rows, "softpt", SOFTPT_VERSION);
	put_count(rows, "schema", TABLES_VERSION);
	put_meta(rows, "recording", j->path.in->path);
	put_clock(rows, &j->tables.clock);
	put_count(rows, "instructions", totals->instructions);
	put_count(rows, "calls", totals->calls);
	put_count(rows, "calls_too_deep", totals->deep);
	put_count(rows, "lost", j->path.totals.lost);
	rows_end(rows);
}

/* ---- the walk ---- */

/* What rows point to is still valid. */
static void finish(void *context)
{
	struct job *j = context;
	struct tables *t = &j->tables;

	if (report_finish(t->report))
		t->failed = true;
	if (t->failed || t->to->err)
		return;
	tables_records(t);
	tables_functions(t);
	tasks_write(&t->tasks, t->to);
	put_about(j);
}

static int walk(struct job *j)
{
	struct tables *t = &j->tables;
	int err = flow_path_walk(&j->path);

	if (t->failed)
		return error_tell_errno(j->e->errors, j->path.in->path, -ENOMEM);
	return err;
}

static int write_rows(struct job *j)
{
	struct tables *t = &j->tables;
	int err;

	t->calls = rows_begin(t->to, &table_calls);
	t->events = rows_begin(t->to, &table_events);
	t->branches = rows_begin(t->to, &table_branches);
	if (t->branches)
		j->path.wanted |= 1u << SOFTPT_FLOW_BRANCH;
	err = t->to->err;
	if (!err)
		err = walk(j);
	rows_end(t->calls);
	rows_end(t->events);
	rows_end(t->branches);
	tasks_free(&t->tasks);
	return err;
}

/* Of a path that is lost somewhere the rest is kept. */
static int with_report(struct job *j, const struct table_format *format)
{
	struct tables *t = &j->tables;
	int err = format->open(&t->to, j->e, &t->clock), lost;

	if (err)
		return err;
	report_want_lines(t->report);
	report_each_call(t->report, tables_call, t);
	err = write_rows(j);
	lost = err == -EILSEQ ? err : 0;
	err = format->close(t->to, lost ? 0 : err);
	return err ? err : lost;
}

static int export_part(const struct export *e, const struct input *part,
		       const struct table_format *format)
{
	struct job j = {
		.e = e,
		.path = {
			.in = part, .root = e->root, .wanted = REPORT_ROWS | EVENT_ROWS,
			.row = take_row, .end = finish, .context = &j, .errors = e->errors,
		},
	};
	int err = flow_path_check(&j.path);

	if (err)
		return err;
	perf_clock_of(part->perf, &j.tables.clock);
	j.tables.perf = part->perf;
	j.tables.report = report_new(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	if (!j.tables.report)
		return error_tell_errno(e->errors, part->path, -ENOMEM);
	err = with_report(&j, format);
	report_free(j.tables.report);
	return err;
}

int tables_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		  const struct table_format *format)
{
	struct input part;
	int err = export_recording(e, streams, nr, &part);

	if (err)
		return err;
	err = export_part(e, &part, format);
	free(part.streams);
	return err;
}
