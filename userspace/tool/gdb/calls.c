// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/process.h"

#define LIMIT	65536

/* Where a handler goes back to is what it has interrupted. */
static uint64_t back_of(const struct flow_frame *f)
{
	return f->handler ? f->interrupted : f->back;
}

static int grow(struct calls *c, size_t depth)
{
	const size_t room = c->room ? 2 * c->room : 1024;
	struct call *call;
	uint32_t *now;

	if (depth > c->deepest) {
		now = reallocarray(c->now, depth + 64, sizeof(*now));
		if (!now)
			return -ENOMEM;
		c->now = now;
		c->deepest = depth + 64;
	}
	if (c->n + depth <= c->room)
		return 0;
	call = reallocarray(c->call, room + depth, sizeof(*call));
	if (!call)
		return -ENOMEM;
	c->call = call;
	c->room = room + depth;
	return 0;
}

static void push(struct calls *c, uint64_t back)
{
	c->call[c->n] = (struct call){
		.around = c->depth ? c->now[c->depth - 1] : (uint32_t)c->n, .back = back,
	};
	c->now[c->depth++] = c->n++;
}

static uint64_t back_now(const struct calls *c, size_t depth)
{
	return c->call[c->now[depth - 1]].back;
}

/* From one block to the next a function is entered or left; more than that is looked at anew. */
int64_t calls_now(struct calls *c, const struct softpt_flow_thread *t)
{
	const size_t depth = t->frames ? t->frames : 1;
	size_t same = depth < c->depth ? depth : c->depth;

	if (!c->limit)
		c->limit = LIMIT;
	if (same == depth && depth == c->depth &&
	    (!t->frames || back_now(c, depth) == back_of(&t->frame[depth - 1])))
		return c->now[depth - 1];
	if (c->n >= UINT32_MAX - depth || grow(c, depth))
		return -ENOMEM;
	while (same && t->frames && back_now(c, same) != back_of(&t->frame[same - 1]))
		same--;
	c->depth = same;
	while (c->depth < depth)
		push(c, t->frames ? back_of(&t->frame[c->depth]) : 0);
	return c->now[depth - 1];
}

/* The call around one has a smaller number. */
static void need_around(const struct calls *c, unsigned char *needed)
{
	size_t i;

	for (i = 0; i < c->depth; i++)
		needed[c->now[i]] = 1;
	for (i = c->n; i-- > 0;)
		if (needed[i])
			needed[c->call[i].around] = 1;
}

uint32_t *calls_drop(struct calls *c, unsigned char *needed)
{
	uint32_t *number = calloc(c->n + 1, sizeof(*number));
	size_t i, n = 0;

	if (!number)
		return NULL;
	need_around(c, needed);
	for (i = 0; i < c->n; i++) {
		if (!needed[i])
			continue;
		number[i] = n;
		c->call[n] = c->call[i];
		c->call[n].around = number[c->call[i].around];
		n++;
	}
	for (i = 0; i < c->depth; i++)
		c->now[i] = number[c->now[i]];
	c->n = n;
	c->limit = 2 * n > LIMIT ? 2 * n : LIMIT;
	return number;
}

void calls_forget(struct calls *c)
{
	c->n = 0;
	c->depth = 0;
}

void calls_free(struct calls *c)
{
	free(c->call);
	free(c->now);
}
