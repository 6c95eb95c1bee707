// SPDX-License-Identifier: BSD-2-Clause
#include "native.h"

#include "code/cache.h"
#include "code/describe.h"
#include "layout.h"
#include "sys.h"

bool native_may(const struct thread *t)
{
	return READ_ONCE(process->native) && !t->inside_rsp && !t->vforked && !t->traced;
}

u64 native_go(struct thread *t, u64 to)
{
	WRITE_ONCE(t->inside, false);
	t->native = true;
	return to;
}

/* Neither in the runtime nor in a translation */
static bool is_outside(u64 ip)
{
	return !cache_holds(ip) && !(ip >= XL_CACHE_END && ip < XL_TABLE);
}

bool native_is(const struct thread *t, u64 ip)
{
	return t->native && is_outside(ip);
}

bool native_is_stranger(const struct thread *t, u64 ip)
{
	return ip && is_outside(ip) && READ_ONCE(t->words->tid) != (u32)sys_tid();
}

/* As the recorder sees it: a call within the one that is recorded belongs to that. */
void native_called(struct thread *t, u64 rsp, bool by_call)
{
	if (!t->inside_rsp || rsp > t->inside_rsp || (rsp == t->inside_rsp && by_call))
		t->inside_rsp = rsp;
}

void native_returned(struct thread *t, u64 rsp)
{
	if (rsp > t->inside_rsp)
		t->inside_rsp = 0;
}
