// SPDX-License-Identifier: BSD-2-Clause
/*
 * A table of a recording as a stream of Apache Arrow, for data frames and databases: batches of
 * rows, column by column, written as the recording is walked. (Documentation/guides/tables.rst)
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "export/arrow/message.h"
#include "export/export.h"
#include "export/tables/tables.h"

#define CONTINUATION	UINT32_MAX	/* before the length of a message, 0: the stream ends */

struct arrow {
	struct table_writer writer;
	int fd;
	struct flat message;
};

struct batch {
	struct rows rows;
	const struct table *table;
	unsigned int next;	/* column of the row */
	uint32_t n;		/* rows */
	bool full;		/* its texts are long */
	struct arrow_column column[];
};

static const struct table_format arrow_format;

static struct arrow *arrow_of(struct table_writer *w)
{
	return (struct arrow *)w;
}

static struct batch *batch_of(struct rows *r)
{
	return (struct batch *)r;
}

/* ---- the stream ---- */

static void put(struct arrow *a, const void *data, size_t len)
{
	if (!a->writer.err)
		a->writer.err = export_write(a->writer.e, a->fd, data, len);
}

static void put_padded(struct arrow *a, const void *data, size_t len)
{
	static const char zeros[ARROW_ALIGN];

	put(a, data, len);
	put(a, zeros, arrow_padded(len) - len);
}

static void put_message(struct arrow *a)
{
	uint32_t head[2];

	flat_align(&a->message, ARROW_ALIGN);
	if (a->message.full) {
		tables_fail(&a->writer, -EOVERFLOW);
		return;
	}
	head[0] = CONTINUATION;
	head[1] = htole32(a->message.len);
	put(a, head, sizeof(head));
	put(a, a->message.data, a->message.len);
}

static int open_stream(struct table_writer **w, const struct export *e,
		       const struct perf_clock *clock)
{
	struct arrow *a = calloc(1, sizeof(*a));

	(void)clock;
	if (!a)
		return error_tell_errno(e->errors, e->output, -ENOMEM);
	a->writer = (struct table_writer){ .format = &arrow_format, .e = e };
	a->fd = export_open(e);
	if (a->fd < 0) {
		const int err = a->fd;

		free(a);
		return err;
	}
	*w = &a->writer;
	return 0;
}

static int close_stream(struct table_writer *w, int err)
{
	static const uint32_t end[2] = { CONTINUATION };
	struct arrow *a = arrow_of(w);

	if (!err) {
		put(a, end, sizeof(end));
		err = w->err;
	}
	err = export_close(w->e, a->fd, err);
	free(a);
	return err;
}

/* ---- batches ---- */

static void put_batch(struct arrow *a, struct batch *b)
{
	struct arrow_buffer buffer[COLUMN_BUFFERS];
	unsigned int i, k, n;

	arrow_batch(&a->message, b->column, b->table->columns, b->n);
	put_message(a);
	for (i = 0; i < b->table->columns; i++) {
		n = arrow_column_buffers(&b->column[i], b->n, buffer);
		for (k = 0; k < n; k++)
			put_padded(a, buffer[k].data, buffer[k].len);
		arrow_column_clear(&b->column[i]);
	}
	b->n = 0;
	b->full = false;
}

static void free_batch(struct batch *b)
{
	unsigned int i;

	for (i = 0; i < b->table->columns; i++)
		arrow_column_free(&b->column[i]);
	free(b);
}

static struct rows *begin_table(struct table_writer *w, const struct table *table)
{
	struct arrow *a = arrow_of(w);
	struct batch *b;
	unsigned int i;
	int err = 0;

	if (w->err || table != (w->e->table ? w->e->table : &table_calls))
		return NULL;
	b = calloc(1, sizeof(*b) + table->columns * sizeof(*b->column));
	if (!b) {
		tables_fail(w, -ENOMEM);
		return NULL;
	}
	b->rows.to = w;
	b->table = table;
	for (i = 0; i < table->columns && !err; i++)
		err = arrow_column_begin(&b->column[i], &table->column[i]);
	if (err) {
		tables_fail(w, err);
		free_batch(b);
		return NULL;
	}
	arrow_schema(&a->message, table);
	put_message(a);
	return &b->rows;
}

static void end_table(struct rows *r)
{
	struct batch *b = batch_of(r);

	if (b->n)
		put_batch(arrow_of(r->to), b);
	free_batch(b);
}

/* ---- rows ---- */

static void check(struct rows *r, int err)
{
	if (err)
		tables_fail(r->to, err);
}

static void put_number(struct rows *r, int64_t value)
{
	struct batch *b = batch_of(r);

	check(r, arrow_column_number(&b->column[b->next++], b->n, value));
}

static void put_null(struct rows *r)
{
	struct batch *b = batch_of(r);

	arrow_column_null(&b->column[b->next++], b->n);
}

static void put_text(struct rows *r, const char *text)
{
	struct batch *b = batch_of(r);
	struct arrow_column *c = &b->column[b->next++];

	check(r, arrow_column_text(c, b->n, text));
	b->full |= c->len >= BATCH_TEXT;
}

static void put_row(struct rows *r)
{
	struct batch *b = batch_of(r);

	b->next = 0;
	b->n++;
	if (b->full || b->n == BATCH_ROWS)
		put_batch(arrow_of(r->to), b);
}

static const struct table_format arrow_format = {
	.stored = true,
	.open = open_stream,
	.begin = begin_table,
	.number = put_number,
	.null = put_null,
	.text = put_text,
	.put = put_row,
	.end = end_table,
	.close = close_stream,
};

static int run_arrow(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return tables_export(e, streams, nr, &arrow_format);
}

const struct exporter export_arrow = { "arrow", run_arrow };
