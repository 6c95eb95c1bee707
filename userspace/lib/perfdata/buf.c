// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int perfbuf_put(struct perfbuf *b, const void *bytes, size_t len)
{
	if (b->err || !len)
		return b->err;
	if (len > b->alloc - b->len) {
		size_t alloc = (b->len + len) * 2;
		uint8_t *grown = realloc(b->buf, alloc);

		if (!grown)
			return b->err = -ENOMEM;
		b->buf = grown;
		b->alloc = alloc;
	}
	memcpy(b->buf + b->len, bytes, len);
	b->len += len;
	return 0;
}

void perfbuf_drop(struct perfbuf *b, size_t len)
{
	b->len -= len;
	if (b->len)
		memmove(b->buf, b->buf + len, b->len);
}
