/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flatbuffers, as far as messages of Arrow need them (https://flatbuffers.dev/internals). They are
 * written from front to back: an offset is set when what it leads to is written, right behind.
 */
#ifndef SOFTPT_EXPORT_ARROW_FLAT_H
#define SOFTPT_EXPORT_ARROW_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAT_ROOM	16384	/* far more than the schema of the widest table takes */

/**
 * struct flat - a buffer
 * @data: its bytes; the first four are the offset of the root
 * @len: how many
 * @full: there was no room for more, and it is worth nothing
 */
struct flat {
	unsigned char data[FLAT_ROOM];
	size_t len;
	bool full;
};

/* Begin a buffer anew. Its root is what is written with @from 0. */
void flat_begin(struct flat *f);

/**
 * flat_table() - write a table, all zero
 * @f: the buffer
 * @from: where the offset is that leads to it
 * @sizes: of its fields, in bytes, a digit each; '0': it is not there
 * @field: gets where each of them is
 */
void flat_table(struct flat *f, size_t from, const char *sizes, size_t *field);

/**
 * flat_vector() - write a vector, all zero
 * @f: the buffer
 * @from: where the offset is that leads to it
 * @n: elements
 * @size: bytes of each
 *
 * Return: where the first element is.
 */
size_t flat_vector(struct flat *f, size_t from, uint32_t n, size_t size);

void flat_string(struct flat *f, size_t from, const char *text);
/* A number of @size bytes */
void flat_set(struct flat *f, size_t at, size_t size, uint64_t value);
/* Zeros, up to a multiple of @size */
void flat_align(struct flat *f, size_t size);

#endif /* SOFTPT_EXPORT_ARROW_FLAT_H */
