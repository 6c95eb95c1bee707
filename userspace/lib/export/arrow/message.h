/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of a table and of each batch of its rows: Schema.fbs and Message.fbs of Arrow
 * (https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc)
 */
#ifndef SOFTPT_EXPORT_ARROW_MESSAGE_H
#define SOFTPT_EXPORT_ARROW_MESSAGE_H

#include "export/arrow/column.h"
#include "export/arrow/flat.h"

#define ARROW_ALIGN	8	/* all that is in a stream begins at a multiple */

static inline size_t arrow_padded(size_t len)
{
	return (len + ARROW_ALIGN - 1) & -(size_t)ARROW_ALIGN;
}

/* Names and types of the columns */
void arrow_schema(struct flat *f, const struct table *table);
/*
 * How long the buffers of @rows rows are, which follow. Return: bytes of all of them, with what is
 * between
 */
uint64_t arrow_batch(struct flat *f, const struct arrow_column *column, unsigned int columns,
		     uint32_t rows);

#endif /* SOFTPT_EXPORT_ARROW_MESSAGE_H */
