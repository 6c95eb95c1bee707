/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of a thread as a tree: each knows the one around it, and a block its own */
#ifndef SOFTPT_TOOL_GDB_CALLS_H
#define SOFTPT_TOOL_GDB_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct softpt_flow_thread;

/**
 * struct call - a function that was called
 * @around: number of the call around it; its own: there is none
 * @back: where it returns to; 0: not known
 * @cfa: its canonical frame address on the stack that frames.c makes up; 0: not yet known
 */
struct call {
	uint32_t around;
	uint64_t back;
	uint64_t cfa;
};

/**
 * struct calls - all that were needed so far
 * @call: each behind the one around it
 * @room: in @call
 * @n: how many there are
 * @limit: when it is reached those that no block needs go
 * @now: numbers of those that the thread is in
 * @depth: how many
 * @deepest: room in @now
 */
struct calls {
	struct call *call;
	size_t room;
	size_t n;
	size_t limit;
	uint32_t *now;
	size_t depth;
	size_t deepest;
};

/* The thread is in these now. Return: the number of the innermost, or -ENOMEM */
int64_t calls_now(struct calls *c, const struct softpt_flow_thread *t);
/* Whether calls_drop() is due */
static inline int calls_full(const struct calls *c)
{
	return c->n >= c->limit;
}

/**
 * calls_drop() - forget calls that nobody needs
 * @c: the calls
 * @needed: a byte for each: not 0 where a block is in it; changed
 *
 * Return: for each call its new number; or NULL without memory. The caller frees it.
 */
uint32_t *calls_drop(struct calls *c, unsigned char *needed);
void calls_forget(struct calls *c);
void calls_free(struct calls *c);

#endif /* SOFTPT_TOOL_GDB_CALLS_H */
