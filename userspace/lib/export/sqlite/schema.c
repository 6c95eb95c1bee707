// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/tables/columns.h"

/* A stream of memory tells where its text is when it is closed. */
static char *finished(FILE *sql, char **text)
{
	if (!fclose(sql))
		return *text;
	free(*text);
	return NULL;
}

/* ---- columns that are written ---- */

static const char *type_of(const struct column *column)
{
	if (column->type == COLUMN_ANY)
		return "";
	return column->type == COLUMN_TEXT ? " TEXT" : " INTEGER";
}

static void put_column(FILE *sql, const struct column *column, bool first)
{
	fprintf(sql, "%s%s%s", first ? "" : ",\n\t", column->name, type_of(column));
	if (first)
		fputs(" PRIMARY KEY", sql);
	else if (!column->null)
		fputs(" NOT NULL", sql);
	if (column->of)
		fprintf(sql, " REFERENCES %s(id)", column->of);
}

static void put_table(FILE *sql, const struct table *table)
{
	unsigned int i;

	fprintf(sql, "CREATE TABLE %s(", table->name);
	for (i = 0; i < table->columns && !table->column[i].computed; i++)
		put_column(sql, &table->column[i], !i);
	fprintf(sql, ")%s;", table->column->type == COLUMN_TEXT ? " WITHOUT ROWID" : "");
}

char *schema_tables(bool branches)
{
	const struct table *table;
	char *text = NULL;
	size_t i, len;
	FILE *sql = open_memstream(&text, &len);

	if (!sql)
		return NULL;
	fprintf(sql, "PRAGMA user_version = %d;", TABLES_VERSION);
	for (i = 0; (table = tables_table(i)); i++)
		if (table != &table_branches || branches)
			put_table(sql, table);
	return finished(sql, &text);
}

/* ---- columns that are computed, and indices ---- */

static const char indices[] =
	"CREATE INDEX calls_by_function ON calls(function);"
	"CREATE INDEX calls_by_parent ON calls(parent);"
	"CREATE INDEX calls_by_time ON calls(begin_tsc);"
	"CREATE INDEX events_by_kind ON events(kind);"
	"CREATE INDEX events_by_call ON events(call);"
	"CREATE INDEX functions_by_name ON functions(name);";

static void add_column(FILE *sql, const char *table, const char *column, const char *what)
{
	fprintf(sql, "ALTER TABLE %s ADD COLUMN %s INTEGER AS (%s);", table, column, what);
}

/* A product of all bits would not fit: the upper ones and the rest are multiplied apart. */
static void add_ns(FILE *sql, const struct perf_clock *c, const char *table, const char *time,
		   const char *bound)
{
	char column[32], tsc[32], what[256] = "NULL";

	snprintf(column, sizeof(column), "%s_ns%s", time, bound);
	snprintf(tsc, sizeof(tsc), "%s_tsc%s", time, bound);
	if (c->known)
		snprintf(what, sizeof(what),
			 "%" PRId64 " + (%s >> %u) * %" PRIu64 " + ((%s & %" PRIu64 ") * %" PRIu64
			 " >> %u)", c->zero, tsc, c->shift, c->mult, tsc,
			 (UINT64_C(1) << c->shift) - 1, c->mult, c->shift);
	add_column(sql, table, column, what);
}

static void add_time(FILE *sql, const struct perf_clock *c, const char *table, const char *time)
{
	add_ns(sql, c, table, time, "");
	add_ns(sql, c, table, time, "_min");
	add_ns(sql, c, table, time, "_max");
}

static void add_times(FILE *sql, const struct perf_clock *c, const char *table)
{
	add_time(sql, c, table, "begin");
	add_time(sql, c, table, "end");
	add_column(sql, table, "duration_tsc", "max(0, end_tsc - begin_tsc)");
	add_column(sql, table, "duration_tsc_min",
		   "ifnull(max(0, end_tsc_min - begin_tsc_max), 0)");
	add_column(sql, table, "duration_tsc_max", "max(0, end_tsc_max - begin_tsc_min)");
	add_column(sql, table, "duration_ns", "max(0, end_ns - begin_ns)");
}

/*
 * Stored they would double the file. SQLite computes them for each row that is written, too, and
 * throws them away: they come last.
 */
char *schema_columns(const struct perf_clock *clock, bool branches)
{
	char *text = NULL;
	size_t len;
	FILE *sql = open_memstream(&text, &len);

	if (!sql)
		return NULL;
	add_times(sql, clock, "calls");
	add_times(sql, clock, "events");
	if (branches)
		add_time(sql, clock, "branches", "at");
	fputs(indices, sql);
	return finished(sql, &text);
}
