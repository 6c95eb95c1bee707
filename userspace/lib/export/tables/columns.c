// SPDX-License-Identifier: BSD-2-Clause
#include "export/tables/columns.h"

#include <string.h>

#define COUNT(column)	{ column, COLUMN_NUMBER, false, false, NULL }
#define NUMBER(column)	{ column, COLUMN_NUMBER, true, false, NULL }
#define FLAG(column)	{ column, COLUMN_FLAG, false, false, NULL }
#define NAME(column)	{ column, COLUMN_TEXT, false, false, NULL }
#define TEXT(column)	{ column, COLUMN_TEXT, true, false, NULL }
#define ADDRESS(column)	{ column, COLUMN_ADDRESS, true, false, NULL }
#define ROW_OF(table, column, null)	{ column, COLUMN_NUMBER, null, false, table }
#define COMPUTED(column)	{ column, COLUMN_NUMBER, true, true, NULL }

#define TSC(time)	NUMBER(time "_tsc"), NUMBER(time "_tsc_min"), NUMBER(time "_tsc_max")
#define NS(time)	COMPUTED(time "_ns"), COMPUTED(time "_ns_min"), COMPUTED(time "_ns_max")
#define SPAN(span)	COUNT(span "_tsc"), COUNT(span "_tsc_min"), NUMBER(span "_tsc_max")
#define BEGIN_TO_END \
	TSC("begin"), TSC("end"), NS("begin"), NS("end"), \
	COMPUTED("duration_tsc"), COMPUTED("duration_tsc_min"), COMPUTED("duration_tsc_max"), \
	COMPUTED("duration_ns")

static const struct column calls[] = {
	COUNT("id"), ROW_OF("calls", "parent", true), ROW_OF("threads", "thread", false),
	ROW_OF("functions", "function", false), COUNT("depth"),
	COUNT("instructions"), COUNT("instructions_total"),
	FLAG("entered"), FLAG("complete"), FLAG("recursive"),
	BEGIN_TO_END,
};

static const struct column functions[] = {
	COUNT("id"), TEXT("name"), NAME("demangled"), TEXT("module"), TEXT("path"),
	{ "address", COLUMN_ADDRESS, false, false, NULL }, TEXT("file"), NUMBER("line"),
	COUNT("calls"), COUNT("incomplete"), COUNT("instructions"), COUNT("instructions_total"),
	SPAN("self"), SPAN("total"), SPAN("untraced"), SPAN("lost"),
};

static const struct column threads[] = {
	COUNT("id"), COUNT("pid"), COUNT("tid"), NAME("name"),
};

static const struct column events[] = {
	COUNT("id"), NAME("kind"), ROW_OF("threads", "thread", true), ROW_OF("calls", "call", true),
	NUMBER("cpu"), ADDRESS("address"), ADDRESS("value"), TEXT("text"),
	BEGIN_TO_END,
};

static const struct column branches[] = {
	COUNT("id"), ROW_OF("threads", "thread", false), ROW_OF("calls", "call", true),
	ADDRESS("source"), ADDRESS("target"), TSC("at"), NS("at"),
};

static const struct column meta[] = {
	NAME("key"), { "value", COLUMN_ANY, true, false, NULL },
};

#define TABLE(name)	{ #name, name, sizeof(name) / sizeof((name)[0]) }

const struct table table_calls = TABLE(calls);
const struct table table_functions = TABLE(functions);
const struct table table_threads = TABLE(threads);
const struct table table_events = TABLE(events);
const struct table table_branches = TABLE(branches);
const struct table table_meta = TABLE(meta);

const struct table *tables_table(size_t i)
{
	static const struct table *const all[] = {
		&table_calls, &table_functions, &table_threads, &table_events, &table_branches,
		&table_meta,
	};

	return i < sizeof(all) / sizeof(all[0]) ? all[i] : NULL;
}

const struct table *tables_named(const char *name)
{
	const struct table *t;
	size_t i;

	for (i = 0; (t = tables_table(i)); i++)
		if (!strcmp(t->name, name))
			break;
	return t;
}
