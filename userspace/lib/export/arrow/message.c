// SPDX-License-Identifier: BSD-2-Clause
#include "export/arrow/message.h"

#include <endian.h>

#define VERSION_5	4	/* of the format: Arrow 1.0 and later */

/* Kinds of messages, and types of columns */
enum {
	MESSAGE_SCHEMA = 1,
	MESSAGE_BATCH = 3,
};

enum {
	TYPE_INT = 2,
	TYPE_UTF8 = 5,
	TYPE_BOOL = 6,
};

/* Where the offset of the header is, and the number of bytes that follow the message */
struct message {
	size_t header;
	size_t body;
};

static struct message begin(struct flat *f, unsigned int kind)
{
	enum { VERSION, KIND, HEADER, BODY, FIELDS };
	size_t at[FIELDS] = { 0 };

	flat_begin(f);
	flat_table(f, 0, "2148", at);
	flat_set(f, at[VERSION], 2, VERSION_5);
	flat_set(f, at[KIND], 1, kind);
	return (struct message){ at[HEADER], at[BODY] };
}

/* ---- schema ---- */

static unsigned int type_of(const struct column *column)
{
	if (column_has_text(column))
		return TYPE_UTF8;
	return column->type == COLUMN_FLAG ? TYPE_BOOL : TYPE_INT;
}

static void put_type(struct flat *f, size_t from, const struct column *column)
{
	enum { BITS, IS_SIGNED, FIELDS };
	size_t at[FIELDS] = { 0 };

	if (type_of(column) != TYPE_INT) {
		flat_table(f, from, "", at);
		return;
	}
	flat_table(f, from, "41", at);
	flat_set(f, at[BITS], 4, 64);
	flat_set(f, at[IS_SIGNED], 1, column->type == COLUMN_NUMBER);
}

/* Readers want the list of children where there are none, too. */
static void put_field(struct flat *f, size_t from, const struct column *column)
{
	enum { NAME, NULLABLE, KIND, TYPE, DICTIONARY, CHILDREN, FIELDS };
	size_t at[FIELDS] = { 0 };

	flat_table(f, from, "411404", at);
	flat_string(f, at[NAME], column->name);
	flat_set(f, at[NULLABLE], 1, column->null);
	flat_set(f, at[KIND], 1, type_of(column));
	put_type(f, at[TYPE], column);
	flat_vector(f, at[CHILDREN], 0, 4);
}

void arrow_schema(struct flat *f, const struct table *table)
{
	enum { BIG_ENDIAN_DATA, COLUMNS, FIELDS };
	const struct message m = begin(f, MESSAGE_SCHEMA);
	size_t at[FIELDS] = { 0 }, field;
	unsigned int i;

	flat_table(f, m.header, "24", at);
	flat_set(f, at[BIG_ENDIAN_DATA], 2, __BYTE_ORDER == __BIG_ENDIAN);
	field = flat_vector(f, at[COLUMNS], table->columns, 4);
	for (i = 0; i < table->columns; i++)
		put_field(f, field + 4 * i, &table->column[i]);
}

/* ---- a batch of rows ---- */

/* Two numbers, as nodes and buffers have them */
static void put_pair(struct flat *f, size_t at, uint64_t first, uint64_t second)
{
	flat_set(f, at, 8, first);
	flat_set(f, at + 8, 8, second);
}

static unsigned int count_buffers(const struct arrow_column *column, unsigned int columns)
{
	struct arrow_buffer buffer[COLUMN_BUFFERS];
	unsigned int i, n = 0;

	for (i = 0; i < columns; i++)
		n += arrow_column_buffers(&column[i], 0, buffer);
	return n;
}

/* Return: bytes from the first buffer to the end of the last */
static uint64_t put_buffers(struct flat *f, size_t at, const struct arrow_column *column,
			    unsigned int columns, uint32_t rows)
{
	struct arrow_buffer buffer[COLUMN_BUFFERS];
	unsigned int i, k, n;
	uint64_t offset = 0;

	for (i = 0; i < columns; i++) {
		n = arrow_column_buffers(&column[i], rows, buffer);
		for (k = 0; k < n; k++, at += 16) {
			put_pair(f, at, offset, buffer[k].len);
			offset += arrow_padded(buffer[k].len);
		}
	}
	return offset;
}

uint64_t arrow_batch(struct flat *f, const struct arrow_column *column, unsigned int columns,
		     uint32_t rows)
{
	enum { ROWS, NODES, BUFFERS, FIELDS };
	const struct message m = begin(f, MESSAGE_BATCH);
	size_t at[FIELDS] = { 0 }, node, buffer;
	unsigned int i;
	uint64_t body;

	flat_table(f, m.header, "844", at);
	flat_set(f, at[ROWS], 8, rows);
	node = flat_vector(f, at[NODES], columns, 16);
	for (i = 0; i < columns; i++)
		put_pair(f, node + 16 * i, rows, column[i].nulls);
	buffer = flat_vector(f, at[BUFFERS], count_buffers(column, columns), 16);
	body = put_buffers(f, buffer, column, columns, rows);
	flat_set(f, m.body, 8, body);
	return body;
}
