/* SPDX-License-Identifier: BSD-2-Clause */
/* A column of a batch of rows, as Arrow has it in memory and in a file */
#ifndef SOFTPT_EXPORT_ARROW_COLUMN_H
#define SOFTPT_EXPORT_ARROW_COLUMN_H

#include <stdint.h>

#include "export/tables/columns.h"

#define BATCH_ROWS	65536		/* of a batch, at most: a multiple of 8 */
#define BATCH_TEXT	(16 << 20)	/* bytes of a column of texts that end a batch */
#define COLUMN_BUFFERS	3		/* of a column, at most */

/**
 * struct arrow_column - its values
 * @is: what they are
 * @valid: a bit for each row: it is not null; NULL: no row may be
 * @nulls: how many are
 * @data: 8 bytes of each row, a bit, or all texts one behind the other
 * @len: bytes of the texts
 * @room: for them
 * @offset: where the text of each row begins, and where the last one ends; NULL: no texts
 */
struct arrow_column {
	const struct column *is;
	unsigned char *valid;
	uint32_t nulls;
	unsigned char *data;
	size_t len;
	size_t room;
	int32_t *offset;
};

struct arrow_buffer {
	const void *data;
	size_t len;
};

static inline bool column_has_text(const struct column *column)
{
	return column->type == COLUMN_TEXT || column->type == COLUMN_ANY;
}

/* Return: 0 or -ENOMEM; then it may be freed, too */
int arrow_column_begin(struct arrow_column *c, const struct column *is);
void arrow_column_free(struct arrow_column *c);

/*
 * The value of @row, the next one; of texts a number is one. Return: 0, -ENOMEM, or -EOVERFLOW: a
 * text is too long
 */
int arrow_column_number(struct arrow_column *c, uint32_t row, int64_t value);
int arrow_column_text(struct arrow_column *c, uint32_t row, const char *text);
void arrow_column_null(struct arrow_column *c, uint32_t row);

/* What a batch has of a column. Return: how many buffers, COLUMN_BUFFERS at most */
unsigned int arrow_column_buffers(const struct arrow_column *c, uint32_t rows,
				  struct arrow_buffer *buffer);
/* For the next batch */
void arrow_column_clear(struct arrow_column *c);

#endif /* SOFTPT_EXPORT_ARROW_COLUMN_H */
