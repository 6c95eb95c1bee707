// SPDX-License-Identifier: BSD-2-Clause
#include "report/call.h"

void call_of(const struct report_thread *t, bool complete, struct report_call *call)
{
	const struct report_frame *f = stack_top(t);
	const uint64_t total = t->executed - f->executed;

	*call = (struct report_call){
		.id = f->id,
		.parent = t->frames > 1 ? f[-1].id : 0,
		.depth = t->frames - 1,
		.group = f->group,
		.thread = t->thread,
		.begin = f->when,
		.end = t->last,
		.self = total - f->inner,
		.total = total,
		.seen = f->seen,
		.complete = complete,
		.outer = f->outer,
	};
}
