/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of tables, written one by one, in a format that knows what a table looks like in a file */
#ifndef SOFTPT_EXPORT_TABLES_ROWS_H
#define SOFTPT_EXPORT_TABLES_ROWS_H

#include <stdint.h>

#include "export/export.h"
#include "export/tables/clock.h"
#include "export/tables/columns.h"

struct table_format;

/**
 * struct table_writer - what is written; a format's own begins with it
 * @format: its functions
 * @e: who is told of what fails
 * @err: 0, or the -errno of what failed first, which was told: nothing is written from then on
 */
struct table_writer {
	const struct table_format *format;
	const struct export *e;
	int err;
};

/* A table that rows are written of; a format's own begins with it */
struct rows {
	struct table_writer *to;
};

/**
 * struct table_format - how tables are written
 * @stored: columns that are computed are written, too
 * @open: begin a file. Return: 0; or -errno that was told, and there is no writer
 * @begin: begin a table. Return: NULL: it is not wanted, or it fails
 * @number: the next column of the row
 * @null: the same
 * @text: the same, UTF-8
 * @put: the row is whole
 * @end: the table is
 * @close: the file is, and the writer is freed. @err: 0, or why it is worth nothing.
 *	Return: @err, or the -errno of what failed first, which was told
 */
struct table_format {
	bool stored;
	int (*open)(struct table_writer **w, const struct export *e,
		    const struct perf_clock *clock);
	struct rows *(*begin)(struct table_writer *w, const struct table *table);
	void (*number)(struct rows *r, int64_t value);
	void (*null)(struct rows *r);
	void (*text)(struct rows *r, const char *text);
	void (*put)(struct rows *r);
	void (*end)(struct rows *r);
	int (*close)(struct table_writer *w, int err);
};

/* Tell that nothing more can be written, if nobody did so far. Return: what failed first */
int tables_fail(struct table_writer *w, int err);

static inline struct rows *rows_begin(struct table_writer *w, const struct table *table)
{
	return w->format->begin(w, table);
}

static inline void rows_int(struct rows *r, int64_t value)
{
	r->to->format->number(r, value);
}

static inline void rows_null(struct rows *r)
{
	r->to->format->null(r);
}

/* @text NULL: null. It is copied; what is no UTF-8 is U+FFFD */
void rows_text(struct rows *r, const char *text);

static inline void rows_put(struct rows *r)
{
	r->to->format->put(r);
}

/* @r may be NULL */
static inline void rows_end(struct rows *r)
{
	if (r)
		r->to->format->end(r);
}

#endif /* SOFTPT_EXPORT_TABLES_ROWS_H */
