/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a database as SQL (Documentation/guides/tables.rst) */
#ifndef SOFTPT_EXPORT_SQLITE_SCHEMA_H
#define SOFTPT_EXPORT_SQLITE_SCHEMA_H

#include "export/tables/clock.h"

/* What creates them. @branches: a table of them, too. Return, both: for free(); NULL: no memory */
char *schema_tables(bool branches);
/* Behind the last row: columns that are computed; what people look for is found at once. */
char *schema_columns(const struct perf_clock *clock, bool branches);

#endif /* SOFTPT_EXPORT_SQLITE_SCHEMA_H */
