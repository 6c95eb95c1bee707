// SPDX-License-Identifier: BSD-2-Clause
#include "export/arrow/column.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS	(BATCH_ROWS / 8)	/* bytes of a bit for each row */

static void set_bit(unsigned char *bits, uint32_t i)
{
	bits[i / 8] |= 1 << i % 8;
}

int arrow_column_begin(struct arrow_column *c, const struct column *is)
{
	*c = (struct arrow_column){ .is = is };
	if (is->null) {
		c->valid = calloc(1, BITS);
		if (!c->valid)
			return -ENOMEM;
	}
	if (column_has_text(is)) {
		c->offset = calloc(BATCH_ROWS + 1, sizeof(*c->offset));
		return c->offset ? 0 : -ENOMEM;
	}
	c->data = calloc(1, is->type == COLUMN_FLAG ? BITS : BATCH_ROWS * sizeof(int64_t));
	return c->data ? 0 : -ENOMEM;
}

void arrow_column_free(struct arrow_column *c)
{
	free(c->valid);
	free(c->data);
	free(c->offset);
}

int arrow_column_number(struct arrow_column *c, uint32_t row, int64_t value)
{
	char text[24];

	if (column_has_text(c->is)) {
		snprintf(text, sizeof(text), "%" PRId64, value);
		return arrow_column_text(c, row, text);
	}
	if (c->valid)
		set_bit(c->valid, row);
	if (c->is->type != COLUMN_FLAG)
		memcpy(c->data + row * sizeof(value), &value, sizeof(value));
	else if (value)
		set_bit(c->data, row);
	return 0;
}

void arrow_column_null(struct arrow_column *c, uint32_t row)
{
	c->nulls++;
	if (c->offset)
		c->offset[row + 1] = c->len;
	else if (c->is->type != COLUMN_FLAG)
		memset(c->data + row * sizeof(int64_t), 0, sizeof(int64_t));
}

static int make_room(struct arrow_column *c, size_t len)
{
	size_t room = c->room ? c->room : 4096;
	unsigned char *grown;

	if (len > INT32_MAX - c->len)
		return -EOVERFLOW;
	while (room < c->len + len)
		room *= 2;
	if (room == c->room)
		return 0;
	grown = realloc(c->data, room);
	if (!grown)
		return -ENOMEM;
	c->data = grown;
	c->room = room;
	return 0;
}

int arrow_column_text(struct arrow_column *c, uint32_t row, const char *text)
{
	const size_t len = strlen(text);
	int err = make_room(c, len);

	if (err)
		return err;
	if (c->valid)
		set_bit(c->valid, row);
	memcpy(c->data + c->len, text, len);
	c->len += len;
	c->offset[row + 1] = c->len;
	return 0;
}

/* Where no row is null there are no bits. */
unsigned int arrow_column_buffers(const struct arrow_column *c, uint32_t rows,
				  struct arrow_buffer *buffer)
{
	const size_t bits = (rows + 7) / 8;
	unsigned int n = 0;

	buffer[n++] = (struct arrow_buffer){ c->valid, c->nulls ? bits : 0 };
	if (c->offset) {
		buffer[n++] = (struct arrow_buffer){ c->offset, (rows + 1) * sizeof(*c->offset) };
		buffer[n++] = (struct arrow_buffer){ c->data, c->len };
	} else if (c->is->type == COLUMN_FLAG) {
		buffer[n++] = (struct arrow_buffer){ c->data, bits };
	} else {
		buffer[n++] = (struct arrow_buffer){ c->data, rows * sizeof(int64_t) };
	}
	return n;
}

void arrow_column_clear(struct arrow_column *c)
{
	if (c->valid)
		memset(c->valid, 0, BITS);
	if (c->is->type == COLUMN_FLAG)
		memset(c->data, 0, BITS);
	c->nulls = 0;
	c->len = 0;
}
