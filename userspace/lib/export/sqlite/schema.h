/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a database (Documentation/guides/sqlite.rst) */
#ifndef SOFTPT_EXPORT_SQLITE_SCHEMA_H
#define SOFTPT_EXPORT_SQLITE_SCHEMA_H

#include <stdbool.h>

#include "export/sqlite/clock.h"
#include "export/sqlite/database.h"

#define SCHEMA_VERSION	1	/* raised when a column goes, or changes what it is */

/* Columns that are written: others are computed from them as they are read. */
enum {
	COLUMNS_META = 2,
	COLUMNS_THREADS = 4,
	COLUMNS_FUNCTIONS = 24,
	COLUMNS_CALLS = 16,
	COLUMNS_EVENTS = 14,
	COLUMNS_BRANCHES = 8,
};

/* @branches: a table of them, too. Return, both: 0, or -errno that database_run() has told */
int schema_create(struct database *d, bool branches);
/* Behind the last row: columns that are computed; what people look for is found at once. */
int schema_finish(struct database *d, const struct perf_clock *clock, bool branches);

#endif /* SOFTPT_EXPORT_SQLITE_SCHEMA_H */
