// SPDX-License-Identifier: BSD-2-Clause
#include "export/protobuf.h"

#include <string.h>

#define TEXT_MAX	1024
#define KEY_MAX		20	/* two varints */

enum wire {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

static void put_varint(struct protobuf *m, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		m->byte[m->len++] = (value & 0x7f) | 0x80;
	m->byte[m->len++] = value;
}

static void put_bytes(struct protobuf *m, unsigned int field, const void *bytes, size_t len)
{
	if (m->len + KEY_MAX + len > sizeof(m->byte))
		return;
	put_varint(m, field << 3 | WIRE_BYTES);
	put_varint(m, len);
	memcpy(m->byte + m->len, bytes, len);
	m->len += len;
}

void protobuf_uint(struct protobuf *m, unsigned int field, uint64_t value)
{
	if (m->len + KEY_MAX > sizeof(m->byte))
		return;
	put_varint(m, field << 3 | WIRE_VARINT);
	put_varint(m, value);
}

size_t protobuf_put(FILE *to, unsigned int field, uint64_t value)
{
	struct protobuf m;

	protobuf_init(&m);
	protobuf_uint(&m, field, value);
	if (to)
		fwrite(m.byte, 1, m.len, to);
	return m.len;
}

void protobuf_put_begin(FILE *to, unsigned int field, size_t len)
{
	struct protobuf m;

	protobuf_init(&m);
	put_varint(&m, field << 3 | WIRE_BYTES);
	put_varint(&m, len);
	fwrite(m.byte, 1, m.len, to);
}

void protobuf_text(struct protobuf *m, unsigned int field, const char *text)
{
	put_bytes(m, field, text, strnlen(text, TEXT_MAX));
}

void protobuf_message(struct protobuf *m, unsigned int field, const struct protobuf *sub)
{
	put_bytes(m, field, sub->byte, sub->len);
}
