// SPDX-License-Identifier: BSD-2-Clause
/* A snapshot ring in this process */
#include "sim/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/softpt.h>

int sim_ring_init(struct sim_ring *r, uint64_t size)
{
	*r = (struct sim_ring){ .buf = malloc(size), .size = size };
	return r->buf ? 0 : -ENOMEM;
}

void sim_ring_free(struct sim_ring *r)
{
	free(r->buf);
	r->buf = NULL;
}

void sim_ring_put(struct sim_ring *r, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t at = r->head % r->size, some = r->size - at;

		if (some > n)
			some = n;
		memcpy(r->buf + at, bytes, some);
		r->head += some;
		bytes += some;
		n -= some;
	}
}

/* Bytes before the first PSB, which has one if it was whole */
static size_t before_psb(const uint8_t *bytes, size_t n)
{
	struct softpt_stream stream;

	softpt_stream_init(&stream, bytes, n);
	return softpt_sync_forward(&stream, 0, NULL) ? n : softpt_stream_offset(&stream);
}

int sim_ring_take(struct sim_ring *r, uint8_t **bytes, size_t *n, uint64_t *at)
{
	uint64_t begin = r->tail;
	size_t cut, first;

	if (r->head - begin > r->size)
		begin = r->head - r->size;
	*n = r->head - begin;
	*bytes = malloc(*n + 1);
	if (!*bytes)
		return -ENOMEM;
	first = begin % r->size + *n > r->size ? r->size - begin % r->size : *n;
	memcpy(*bytes, r->buf + begin % r->size, first);
	memcpy(*bytes + first, r->buf, *n - first);
	cut = begin > r->tail ? before_psb(*bytes, *n) : 0;
	*n -= cut;
	memmove(*bytes, *bytes + cut, *n);
	*at = begin + cut;
	r->tail = r->head;
	return 0;
}
