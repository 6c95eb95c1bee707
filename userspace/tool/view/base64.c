// SPDX-License-Identifier: BSD-2-Clause
#include "base64.h"

static void put_digits(struct base64 *b, unsigned int digits)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int i;

	for (i = 0; i < 4; i++)
		putc(i < digits ? digit[b->bits >> (18 - 6 * i) & 63] : '=', b->to);
	b->bits = 0;
	b->bytes = 0;
}

void base64_put(struct base64 *b, const void *bytes, size_t n)
{
	const uint8_t *byte = bytes;

	while (n--) {
		b->bits |= (uint32_t)*byte++ << (16 - 8 * b->bytes);
		if (++b->bytes == 3)
			put_digits(b, 4);
	}
}

void base64_end(struct base64 *b)
{
	if (b->bytes)
		put_digits(b, b->bytes + 1);
}
