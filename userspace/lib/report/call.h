/* SPDX-License-Identifier: BSD-2-Clause */
/* Each call that a report sums up, for who wants them one by one */
#ifndef SOFTPT_REPORT_CALL_H
#define SOFTPT_REPORT_CALL_H

#include "report/stack.h"

/**
 * struct report_call - a function of a thread, from its call to its return
 * @id: of all of a report, in the order of their begins, from 1 on
 * @parent: the call that it was made in, 0: none
 * @depth: calls that it was made in
 * @group: what it counts for
 * @thread: valid until the walk ends
 * @begin: its call, or where it is seen first
 * @end: its return, or where it is seen last
 * @self: instructions of its own
 * @total: with those of the functions that it called
 * @seen: it was entered here: it counts as a call
 * @complete: its call and its return were seen, and nothing was lost within
 * @outer: it is not within a call of the same group: its total is part of the group's
 */
struct report_call {
	uint64_t id;
	uint64_t parent;
	unsigned int depth;
	uint32_t group;
	const struct softpt_flow_thread *thread;
	struct softpt_flow_time begin;
	struct softpt_flow_time end;
	uint64_t self;
	uint64_t total;
	bool seen;
	bool complete;
	bool outer;
};

/* Gets each call when it ends */
typedef void (*report_call_fn)(void *ctx, const struct report_call *call);

/* What the newest call of a thread was, which ends with the thread's last row */
void call_of(const struct report_thread *t, bool complete, struct report_call *call);

#endif /* SOFTPT_REPORT_CALL_H */
