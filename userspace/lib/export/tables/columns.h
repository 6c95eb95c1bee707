/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a recording and their columns (Documentation/guides/tables.rst) */
#ifndef SOFTPT_EXPORT_TABLES_COLUMNS_H
#define SOFTPT_EXPORT_TABLES_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#define TABLES_VERSION	1	/* raised when a column goes, or changes what it is */

enum column_type {
	COLUMN_NUMBER,
	COLUMN_ADDRESS,		/* all 64 bits, without a sign */
	COLUMN_FLAG,
	COLUMN_TEXT,
	COLUMN_ANY,		/* a number or a text */
};

/**
 * struct column - what a column has in each row
 * @name: its name
 * @type: what it is
 * @null: it may be null
 * @computed: it follows from columns before it; these are the last of a table
 * @of: the table whose "id" it has; NULL: none
 */
struct column {
	const char *name;
	enum column_type type;
	bool null;
	bool computed;
	const char *of;
};

struct table {
	const char *name;
	const struct column *column;
	unsigned int columns;
};

extern const struct table table_calls;
extern const struct table table_functions;
extern const struct table table_threads;
extern const struct table table_events;
extern const struct table table_branches;
extern const struct table table_meta;

/* All of them. Return: NULL behind the last */
const struct table *tables_table(size_t i);
/* Return: NULL: none is called so */
const struct table *tables_named(const char *name);

#endif /* SOFTPT_EXPORT_TABLES_COLUMNS_H */
