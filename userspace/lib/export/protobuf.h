/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in the encoding of protocol buffers. A field is a key, number << 3 | wire type, and
 * a value: a varint (seven bits a byte, the lowest first), or a length and as many bytes.
 */
#ifndef SOFTPT_EXPORT_PROTOBUF_H
#define SOFTPT_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROTOBUF_MAX	4096	/* of a message; texts are cut to what fits */

struct protobuf {
	size_t len;
	uint8_t byte[PROTOBUF_MAX];
};

static inline void protobuf_init(struct protobuf *m)
{
	m->len = 0;
}

/* Fields, by their number. What does not fit is left out. */
void protobuf_uint(struct protobuf *m, unsigned int field, uint64_t value);
void protobuf_text(struct protobuf *m, unsigned int field, const char *text);
void protobuf_message(struct protobuf *m, unsigned int field, const struct protobuf *sub);

/* For a message that may be longer: its field and its length, and then its fields, as many bytes */
void protobuf_put_begin(FILE *to, unsigned int field, size_t len);
/* @to may be NULL. Return: bytes of the field */
size_t protobuf_put(FILE *to, unsigned int field, uint64_t value);

#endif /* SOFTPT_EXPORT_PROTOBUF_H */
