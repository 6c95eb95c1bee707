/* SPDX-License-Identifier: BSD-2-Clause */
/* Doors that threads pass (code/door.h), and how calls end: what the recorder is told */
#ifndef SOFTPT_XL_PASSING_H
#define SOFTPT_XL_PASSING_H

#include "code/block.h"
#include "thread.h"

#define PASSING_SHUT	1	/* a door, of a call that the recorder is not told of */

/**
 * struct passing - a door that a thread passes, or the way back from one
 * @what: SOFTPT_XL_DOOR, SOFTPT_XL_BACK, PASSING_SHUT; 0: it passes none
 * @rsp: RSP at the entry of the door's function; of a way back: now
 * @within: the door is no entry of a function
 * @stops: it ends what is recorded: with SOFTPT_XL_DOOR, before it begins again
 */
struct passing {
	u32 what;
	u64 rsp;
	bool within;
	bool stops;
};

/* As @shared says, to which the program may write. Where no other thread runs */
void passing_take(const struct softpt_xl_shared *shared);

/* The dispatcher was come to by a link of @kind, and goes to @b at @to. Under xl_lock */
struct passing passing_find(const struct thread *t, const struct context *c, const struct block *b,
			    u8 kind, u64 to);
/* Whether the last record ends with a call. Only where a branch has led to the dispatcher */
bool passing_by_call(const struct thread *t);
/* Tell of it. @entered: no branch has led to @at; @called: a call has */
void passing_tell(struct thread *t, const struct passing *p, u64 at, bool entered, bool called);
/* The system call @nr is over, and the thread goes on at @to with the registers @c. */
void passing_call(struct thread *t, const struct context *c, u64 nr, u64 to);
/*
 * The thread goes on at @to, and @rsp was the top of its stack before: the call that is recorded
 * was left by longjmp() or an exception, if its frame is no more there.
 */
void passing_end_left(struct thread *t, u64 to, u64 rsp);

#endif /* SOFTPT_XL_PASSING_H */
