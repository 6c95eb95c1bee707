// SPDX-License-Identifier: BSD-2-Clause
/* A thread begins: one that the program has made, or one that is taken over */
#include "code/describe.h"
#include "code/record.h"
#include "code/translate.h"
#include "flush.h"
#include "guest.h"
#include "native.h"
#include "signals/signal.h"
#include "sys.h"

/* Everything is blocked. */
u64 thread_begin(struct thread *t)
{
	struct block *b;

	WRITE_ONCE(t->words->tid, (u32)sys_tid());
	signal_use_alt_stack(t);
	t->inside_rsp = 0;
	record_escape(t, SOFTPT_XL_THREAD, 0, NULL, t->words->tid, t->pc);
	if (native_may(t)) {
		signal_unblock(t);
		return native_go(t, t->pc);
	}
	flush_lock();
	flush_if_full(t);
	b = translate(t->pc);
	t->inside = true;
	unlock(&xl_lock);
	if (!b)
		die("a thread begins where no code is", t->pc);
	signal_unblock(t);
	return b->direct;
}
