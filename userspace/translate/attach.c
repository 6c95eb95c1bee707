// SPDX-License-Identifier: BSD-2-Clause
#include <linux/rseq.h>

#include "attach.h"

#include "code/ask.h"
#include "code/breaks.h"
#include "code/cache.h"
#include "code/condition.h"
#include "code/describe.h"
#include "code/link.h"
#include "code/number.h"
#include "code/pages.h"
#include "code/record.h"
#include "code/table.h"
#include "flush.h"
#include "guest.h"
#include "layout.h"
#include "memory.h"
#include "passing.h"
#include "semaphore.h"
#include "share.h"
#include "signals/signal.h"
#include "sys.h"
#include "threads.h"

void attach_begin(int fd)
{
	die_gently(true);
	share_join(fd);
	process->attached = true;
	number_init(process->far);
	rooms_reserved();
	table_init(true);
	process->mapped |= SOFTPT_XL_TABLE_MAPPED;
	cache_init();
	process->mapped |= SOFTPT_XL_CACHE_MAPPED;
	block_init();
	link_init();
	pages_look(0, XL_CODE_END);
	pages_look(XL_FAR, XL_FAR + XL_FAR_SIZE);
	threads_none();
	signal_take_over();
	__atomic_store_n(&process->state, SOFTPT_XL_LIVE, __ATOMIC_RELEASE);
}

struct softpt_xl_words *attach_take(u64 tid, u64 pc, u64 mask, u64 rsp, u64 rseq, u64 kind)
{
	struct thread *t = thread_take((u32)tid);

	if (!t)
		return NULL;
	condition_take((void *)(uintptr_t)process->map);
	passing_take((void *)(uintptr_t)process->map);
	ask_answered();
	t->pc = pc;
	t->mask = signal_program_mask(mask);
	t->restarts = (u32)(tid >> 32) & 0xffff;
	t->ends = tid & (SOFTPT_XL_ENDS | SOFTPT_XL_ENDS_UNLESS);
	t->words->rsp = rsp;
	t->rseq.at = rseq;
	t->rseq.size = (u32)kind;
	t->rseq.signature = (u32)(kind >> 32);
	return t->words;
}

/* The kernel would move a thread from a sequence to an address of the translation. */
static void leave_rseq(const struct thread *t)
{
	if (t->rseq.at)
		sys(__NR_rseq, t->rseq.at, t->rseq.size, RSEQ_FLAG_UNREGISTER, t->rseq.signature);
}

static void join_rseq(const struct thread *t)
{
	if (t->rseq.at)
		sys(__NR_rseq, t->rseq.at, t->rseq.size, 0, t->rseq.signature);
}

u64 attach_enter(struct thread *t)
{
	die_gently(false);
	leave_rseq(t);
	signal_take_alt_stack(t);
	signal_use_alt_stack(t);
	signal_block_all();
	t->ended = false;
	return thread_begin(t);
}

/* Until the recorder takes the thread out. Return: it does not */
static void park(const struct thread *t)
{
	unsigned int waits = 0;

	WRITE_ONCE(t->words->parked, 1);
	while (READ_ONCE(process->leave) && !recorder_gone(waits++))
		sys_nap(200);
	WRITE_ONCE(process->leave, 0);
	WRITE_ONCE(t->words->parked, 0);
}

/* A signal that is held is delivered first: its handler's begin comes to the dispatcher again. */
u64 attach_give_back(struct thread *t)
{
	signal_block_all();
	if (t->words->pending)
		return (uintptr_t)at_trap;
	if (!t->ended)
		record_escape(t, SOFTPT_XL_END, 0, NULL, 0, 0);
	t->ended = true;
	t->words->native_pc = t->pc;
	t->words->native_mask = t->mask;
	signal_block_faults();
	signal_give_alt_stack(t);
	join_rseq(t);
	park(t);
	return attach_enter(t);
}

void attach_release(void)
{
	struct thread *t = current();

	signal_give_alt_stack(t);
	join_rseq(t);
	t->words->native_mask = t->mask;
}

u64 attach_end(void)
{
	memory_open_all();
	if (!breaks_end())
		return false;
	semaphore_end();
	signal_give_back();
	return true;
}
