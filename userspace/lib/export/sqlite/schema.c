// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/schema.h"

#include <inttypes.h>
#include <stdio.h>

#define TIME(name) \
	"	" name "_tsc INTEGER, " name "_tsc_min INTEGER, " name "_tsc_max INTEGER"
#define SPAN(name) \
	"	" name "_tsc INTEGER NOT NULL, " name "_tsc_min INTEGER NOT NULL, " \
	name "_tsc_max INTEGER"

static const char tables[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE threads(id INTEGER PRIMARY KEY,\n"
	"	pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT NOT NULL);"
	"CREATE TABLE functions(id INTEGER PRIMARY KEY,\n"
	"	name TEXT, demangled TEXT NOT NULL,\n"
	"	module TEXT, path TEXT, address INTEGER NOT NULL, file TEXT, line INTEGER,\n"
	"	calls INTEGER NOT NULL, incomplete INTEGER NOT NULL,\n"
	"	instructions INTEGER NOT NULL, instructions_total INTEGER NOT NULL,\n"
	SPAN("self") ",\n" SPAN("total") ",\n"
	SPAN("untraced") ",\n" SPAN("lost") ");"
	"CREATE TABLE calls(id INTEGER PRIMARY KEY,\n"
	"	parent INTEGER REFERENCES calls(id),\n"
	"	thread INTEGER NOT NULL REFERENCES threads(id),\n"
	"	function INTEGER NOT NULL REFERENCES functions(id), depth INTEGER NOT NULL,\n"
	"	instructions INTEGER NOT NULL, instructions_total INTEGER NOT NULL,\n"
	"	entered INTEGER NOT NULL, complete INTEGER NOT NULL, recursive INTEGER NOT NULL,\n"
	TIME("begin") ",\n" TIME("end") ");"
	"CREATE TABLE events(id INTEGER PRIMARY KEY, kind TEXT NOT NULL,\n"
	"	thread INTEGER REFERENCES threads(id), call INTEGER REFERENCES calls(id),\n"
	"	cpu INTEGER, address INTEGER, value INTEGER, text TEXT,\n"
	TIME("begin") ",\n" TIME("end") ");";

static const char branches[] =
	"CREATE TABLE branches(id INTEGER PRIMARY KEY,\n"
	"	thread INTEGER NOT NULL REFERENCES threads(id),\n"
	"	call INTEGER REFERENCES calls(id), source INTEGER, target INTEGER,\n"
	TIME("at") ");";

static const char indices[] =
	"CREATE INDEX calls_by_function ON calls(function);"
	"CREATE INDEX calls_by_parent ON calls(parent);"
	"CREATE INDEX calls_by_time ON calls(begin_tsc);"
	"CREATE INDEX events_by_kind ON events(kind);"
	"CREATE INDEX events_by_call ON events(call);"
	"CREATE INDEX functions_by_name ON functions(name);";

int schema_create(struct database *d, bool with_branches)
{
	char version[64];

	snprintf(version, sizeof(version), "PRAGMA user_version = %d", SCHEMA_VERSION);
	database_run(d, version);
	database_run(d, tables);
	return with_branches ? database_run(d, branches) : database_error(d);
}

/* ---- columns that are computed ---- */

static void add_column(struct database *d, const char *table, const char *column, const char *what)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "ALTER TABLE %s ADD COLUMN %s INTEGER AS (%s)", table, column,
		 what);
	database_run(d, sql);
}

/* A product of all bits would not fit: the upper ones and the rest are multiplied apart. */
static void add_ns(struct database *d, const struct perf_clock *c, const char *table,
		   const char *time, const char *bound)
{
	char column[32], tsc[32], what[256] = "NULL";

	snprintf(column, sizeof(column), "%s_ns%s", time, bound);
	snprintf(tsc, sizeof(tsc), "%s_tsc%s", time, bound);
	if (c->known)
		snprintf(what, sizeof(what),
			 "%" PRId64 " + (%s >> %u) * %" PRIu64 " + ((%s & %" PRIu64 ") * %" PRIu64
			 " >> %u)", c->zero, tsc, c->shift, c->mult, tsc,
			 (UINT64_C(1) << c->shift) - 1, c->mult, c->shift);
	add_column(d, table, column, what);
}

static void add_time(struct database *d, const struct perf_clock *c, const char *table,
		     const char *time)
{
	add_ns(d, c, table, time, "");
	add_ns(d, c, table, time, "_min");
	add_ns(d, c, table, time, "_max");
}

static void add_times(struct database *d, const struct perf_clock *c, const char *table)
{
	add_time(d, c, table, "begin");
	add_time(d, c, table, "end");
	add_column(d, table, "duration_tsc", "max(0, end_tsc - begin_tsc)");
	add_column(d, table, "duration_tsc_min",
		   "ifnull(max(0, end_tsc_min - begin_tsc_max), 0)");
	add_column(d, table, "duration_tsc_max", "max(0, end_tsc_max - begin_tsc_min)");
	add_column(d, table, "duration_ns", "max(0, end_ns - begin_ns)");
}

/*
 * Stored they would double the file. SQLite computes them for each row that is written, too, and
 * throws them away: they come last.
 */
int schema_finish(struct database *d, const struct perf_clock *clock, bool with_branches)
{
	add_times(d, clock, "calls");
	add_times(d, clock, "events");
	if (with_branches)
		add_time(d, clock, "branches", "at");
	return database_run(d, indices);
}
