// SPDX-License-Identifier: BSD-2-Clause
/*
 * The acquisition buffer: bytes of the stream from an SE on. An SE whose LR or CTR was used and
 * written before it was sampled does not tell all that a reader needs, nor one without a clock,
 * so the buffer begins at none of these: where the SE of m intervals ago is one, at an older one.
 */
#include "sim/port-buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void port_buffer_begin(struct port_buffer *b, uint64_t clock)
{
	b->first = clock;
	b->end = PORT_NEVER;
	b->left = b->nth;
}

void port_buffer_free(struct port_buffer *b)
{
	free(b->buf);
	free(b->mark);
}

/* What is twice as long as it must be is moved: each byte is once in its life. */
static void trim(struct port_buffer *b)
{
	uint64_t from = b->marks ? b->mark[0].at : b->base;
	size_t n = from - b->base;

	if (n < b->len / 2 || !n)
		return;
	memmove(b->buf, b->buf + n, b->len - n);
	b->len -= n;
	b->base = from;
}

int port_buffer_put(struct port_buffer *b, const void *bytes, size_t len)
{
	uint8_t *buf;
	size_t alloc;

	if (len > b->alloc - b->len) {
		alloc = (b->len + len) * 2 + 4096;
		buf = realloc(b->buf, alloc);
		if (!buf)
			return -ENOMEM;
		b->buf = buf;
		b->alloc = alloc;
	}
	memcpy(b->buf + b->len, bytes, len);
	b->len += len;
	return 0;
}

static bool is_good(const struct port_mark *m)
{
	return m->sampled && m->dated;
}

/* The newest SE that is so old; @b->marks: there is none */
static size_t find_start(const struct port_buffer *b, uint64_t te)
{
	size_t i = b->marks;

	while (i--)
		if (is_good(&b->mark[i]) && te - b->mark[i].clock >= b->history)
			return i;
	return b->marks;
}

/* Whatever comes, nobody will start before the newest that is old enough now. */
static void forget(struct port_buffer *b, uint64_t clock)
{
	size_t n = find_start(b, clock);

	if (b->end != PORT_NEVER || n == b->marks || !n)
		return;
	b->marks -= n;
	memmove(b->mark, b->mark + n, b->marks * sizeof(*b->mark));
	trim(b);
}

int port_buffer_se(struct port_buffer *b, uint64_t clock)
{
	struct port_mark *mark;

	forget(b, clock);
	if (b->marks == b->room) {
		mark = realloc(b->mark, (b->room * 2 + 16) * sizeof(*mark));
		if (!mark)
			return -ENOMEM;
		b->mark = mark;
		b->room = b->room * 2 + 16;
	}
	b->mark[b->marks++] = (struct port_mark){ .clock = clock, .at = b->base + b->len };
	return 0;
}

struct port_mark *port_buffer_newest(struct port_buffer *b)
{
	return b->marks ? &b->mark[b->marks - 1] : NULL;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > PORT_NEVER - b ? PORT_NEVER - 1 : a + b;
}

/* What stops for a TE begins at that SE, else at the oldest, else where the trace began. */
static void begin_at(struct port_buffer *b, uint64_t te)
{
	size_t n = find_start(b, te);

	if (n == b->marks)
		n = 0;
	b->from = b->marks ? b->mark[n].clock : b->first;
	b->at = b->marks ? b->mark[n].at : b->base;
}

bool port_buffer_te(struct port_buffer *b, uint64_t clock, uint64_t entered)
{
	if (b->end != PORT_NEVER || --b->left)
		return false;
	b->te = clock;
	b->entered = entered;
	b->whole = find_start(b, clock) < b->marks;
	begin_at(b, clock);
	b->end = sum(sum(clock, 2), b->after);
	if (b->end < sum(b->from, b->depth))
		b->end = sum(b->from, b->depth);
	return true;
}

struct port_fragment port_buffer_take(struct port_buffer *b, uint64_t clock)
{
	bool has_te = b->end != PORT_NEVER;
	struct port_fragment f = { .te = b->te, .end = clock, .has_te = has_te, .whole = b->whole };

	if (!has_te)
		begin_at(b, clock);
	f.clock = b->from;
	f.bytes = b->buf + (b->at - b->base);
	f.len = b->len - (b->at - b->base);
	return f;
}

void port_buffer_rearm(struct port_buffer *b)
{
	b->end = PORT_NEVER;
	b->left = b->nth;
	b->entered = 0;
}
