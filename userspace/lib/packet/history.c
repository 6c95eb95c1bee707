// SPDX-License-Identifier: BSD-2-Clause
#include "packet/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet/packet.h"

int history_add(struct history *h, const void *buf, size_t len)
{
	if (len > h->alloc - h->len) {
		size_t alloc = 2 * (h->len + len);
		uint8_t *grown = realloc(h->buf, alloc);

		if (!grown)
			return -ENOMEM;
		h->buf = grown;
		h->alloc = alloc;
	}
	if (len)
		memcpy(h->buf + h->len, buf, len);
	h->len += len;
	return 0;
}

size_t history_cut(const struct history *h, uint64_t wanted)
{
	struct softpt_stream s;
	size_t cut = 0;

	softpt_stream_init(&s, h->buf, h->len);
	while (!softpt_sync_forward(&s, 0, NULL)) {
		size_t at = softpt_stream_offset(&s);

		if (h->len - at < wanted)
			break;
		cut = at;
		s.pos += SOFTPT_SIZE_PSB;
	}
	return cut;
}

void history_free(struct history *h)
{
	free(h->buf);
	*h = (struct history){ .buf = NULL };
}
