// SPDX-License-Identifier: BSD-2-Clause
#include "native.h"

#include <linux/mman.h>

#include "code/breaks.h"
#include "code/cache.h"
#include "code/describe.h"
#include "layout.h"
#include "sys.h"

bool native_may(const struct thread *t)
{
	return READ_ONCE(process->native) && !t->inside_rsp && !t->vforked;
}

u64 native_go(struct thread *t, u64 to)
{
	t->native = true;
	return to;
}

bool native_is(const struct thread *t, u64 ip)
{
	return t->native && !cache_holds(ip) && !(ip >= XL_CACHE_END && ip < XL_TABLE);
}

bool native_is_stranger(const struct thread *t)
{
	return READ_ONCE(t->words->tid) != (u32)sys_tid();
}

void native_forget(u64 addr)
{
	u8 *page = (u8 *)PAGE_DOWN(addr), code = 0xcc;

	breaks_hide(addr, &code, 1);
	sys(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	*(u8 *)(uintptr_t)addr = code;
	sys(__NR_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
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
