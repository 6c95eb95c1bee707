// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that wants to be traced by its parent. Not when it says so: the tracer would see the
 * runtime's own signals, and would not let the program go on from one while it waits for a vfork().
 */
#include <linux/ptrace.h>

#include "../sys.h"
#include "traced.h"

long trace_me(struct thread *t)
{
	if (t->traced)
		return -EPERM;
	t->traced = true;
	return 0;
}

bool traced_now(struct thread *t)
{
	if (!t->traced)
		return false;
	t->traced = false;
	return !sys(__NR_ptrace, PTRACE_TRACEME);
}
