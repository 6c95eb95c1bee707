// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording as tables of a SQLite database, for who asks in SQL or with pandas: calls, functions,
 * threads, events. (Documentation/guides/sqlite.rst)
 */
#include <errno.h>

#include "export/export.h"

#ifdef HAVE_SQLITE
#include <inttypes.h>
#include <stdlib.h>

#include "export/sqlite/schema.h"
#include "export/sqlite/tables.h"
#include "flow/path.h"

/* Rows of what happens, beside those that the report takes */
#define EVENT_ROWS \
	(1u << SOFTPT_FLOW_KERNEL | 1u << SOFTPT_FLOW_INTERRUPT | 1u << SOFTPT_FLOW_PTW | \
	 1u << SOFTPT_FLOW_TRIGGER)

struct job {
	const struct export *e;
	struct tables tables;
	struct perf_clock clock;
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
	if (!rows)
		return;
	rows_text(rows, key);
	rows_text(rows, value);
	rows_put(rows);
}

static void put_count(struct rows *rows, const char *key, uint64_t value)
{
	if (!rows)
		return;
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
	struct rows *rows = rows_begin(j->tables.d, "meta", COLUMNS_META);

	put_meta(rows, "softpt", SOFTPT_VERSION);
	put_count(rows, "schema", SCHEMA_VERSION);
	put_meta(rows, "recording", j->path.in->path);
	put_clock(rows, &j->clock);
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
	if (t->failed || database_error(t->d))
		return;
	tables_records(t);
	tables_functions(t);
	tasks_write(&t->tasks, t->d);
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

static int write_tables(struct job *j)
{
	struct tables *t = &j->tables;
	int err = schema_create(t->d, j->e->branches);

	if (err)
		return err;
	t->calls = rows_begin(t->d, "calls", COLUMNS_CALLS);
	t->events = rows_begin(t->d, "events", COLUMNS_EVENTS);
	if (j->e->branches)
		t->branches = rows_begin(t->d, "branches", COLUMNS_BRANCHES);
	err = database_error(t->d);
	if (!err)
		err = walk(j);
	rows_end(t->calls);
	rows_end(t->events);
	rows_end(t->branches);
	tasks_free(&t->tasks);
	if (!err || err == -EILSEQ)
		schema_finish(t->d, &j->clock, j->e->branches);
	return database_error(t->d) ? database_error(t->d) : err;
}

/* Of a path that is lost somewhere the rest is kept. */
static int with_report(struct job *j)
{
	int err = database_begin(&j->tables.d, j->e), lost;

	if (err)
		return err;
	report_want_lines(j->tables.report);
	report_each_call(j->tables.report, tables_call, &j->tables);
	err = write_tables(j);
	lost = err == -EILSEQ ? err : 0;
	err = database_end(j->tables.d, lost ? 0 : err);
	return err ? err : lost;
}

static int export_part(const struct export *e, const struct input *part)
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
	if (e->branches)
		j.path.wanted |= 1u << SOFTPT_FLOW_BRANCH;
	perf_clock_of(part->perf, &j.clock);
	j.tables.perf = part->perf;
	j.tables.report = report_new(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	if (!j.tables.report)
		return error_tell_errno(e->errors, part->path, -ENOMEM);
	err = with_report(&j);
	report_free(j.tables.report);
	return err;
}

static int run_sqlite(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	struct input part;
	int err = export_recording(e, streams, nr, &part);

	if (err)
		return err;
	err = export_part(e, &part);
	free(part.streams);
	return err;
}
#else
static int run_sqlite(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	(void)streams;
	(void)nr;
	return error_tell(e->errors, e->output, -EOPNOTSUPP,
			  "no SQLite: built without libsqlite3: apt-get install libsqlite3-dev, then make clean all");
}
#endif

const struct exporter export_sqlite = { "sqlite", run_sqlite };
