// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals. A signal that comes while the thread executes the program's instructions is delivered
 * at once, with the program's registers. Elsewhere it is held, everything is blocked, and
 *
 * - a sequence of the translation is single-stepped to its end;
 * - the runtime goes on to at_trap, where all registers are the program's.
 *
 * Faults of the program's instructions are delivered where they are. The other faults are the
 * translation's own: a full chunk, a hole in the table, a write to code.
 */
#include <linux/signal.h>

#include "../code/breaks.h"
#include "../code/cache.h"
#include "../code/emit.h"
#include "../code/number.h"
#include "../code/record.h"
#include "../code/table.h"
#include "../guest.h"
#include "../memory.h"
#include "../native.h"
#include "../sys.h"
#include "deliver.h"
#include "signal.h"

#define TRAP_PROTECTION	13
#define TRAP_PAGE_FAULT	14
#define FETCH		0x14	/* an instruction, in user mode */
#define WRITE		0x2
#define TF		0x100ull
#define RF		0x10000ull

/* ---- holding ---- */

static void hold(struct thread *t, u32 signo, const struct ksiginfo *info, struct frame *f)
{
	if (t->words->pending) {	/* what may be a fault, by kill() */
		t->held |= BIT_OF(signo);
		return;
	}
	t->signo = signo;
	t->info = *info;
	t->words->pending = 1;
	t->words->jump = (uintptr_t)at_trap;
	if (f)
		f->mask = signal_kernel_mask(~0ull);
}

/* Back to the kernel: it is blocked now, and comes again. */
static void requeue(struct thread *t)
{
	if (!t->words->pending)
		return;
	sys(__NR_rt_tgsigqueueinfo, sys_pid(), sys_tid(), t->signo, &t->info);
	t->words->pending = 0;
}

u64 signal_fault(struct thread *t, u32 signo, s32 code, u64 addr)
{
	const struct ksiginfo info = { .signo = (s32)signo, .code = code, .addr = addr };
	const bool present = code == SEGV_ACCERR || (s64)addr < 0;

	signal_block_all();
	requeue(t);
	if (code != SI_KERNEL)
		deliver_keep_fault(t, TRAP_PAGE_FAULT, FETCH | present, addr);
	else if (t->undone)
		deliver_keep_fault(t, TRAP_PROTECTION, 0, 0);
	hold(t, signo, &info, NULL);
	return (uintptr_t)at_trap;
}

void signal_held_again(struct thread *t)
{
	u32 signo;

	for (signo = 1; signo <= SIGNALS; signo++)
		if (t->held & ~t->mask & BIT_OF(signo)) {
			t->held &= ~BIT_OF(signo);
			sys(__NR_tgkill, sys_pid(), sys_tid(), signo);
		}
}

/* Where a signal can be delivered: at an instruction of the program's */
static const struct run *at_program(u64 ip)
{
	const struct run *run = cache_holds(ip) ? run_find(ip) : NULL;

	return run && !run->flags ? run : NULL;
}

static u64 program_ip(const struct run *run, u64 ip)
{
	return number_addr(run->addr) + ip - run->cache;
}

/* Single-stepped, it has got on: to where it is delivered, or not yet */
static void step_on(struct thread *t, struct frame *f)
{
	const struct run *run = at_program(f->rip);

	if (f->rip && !cache_holds(f->rip)) {
		t->stepping = false;
		f->eflags &= ~TF;
		if (t->words->pending)
			t->words->jump = (uintptr_t)at_trap;
		return;
	}
	if (!run) {
		f->eflags |= TF;
		return;
	}
	if (!t->words->pending) {
		deliver_go_on(t, f, program_ip(run, f->rip), run);
		return;
	}
	t->words->pending = 0;
	deliver(t, t->signo, &t->info, f, program_ip(run, f->rip), run);
}

static void step_from(struct thread *t, struct frame *f)
{
	t->stepping = true;
	f->eflags |= TF;
}

/* ---- faults ---- */

/* A jump through the table, to where no code of the program's can be */
static bool beyond_table(u64 ip)
{
	static const u8 jump[] = { 0xff, 0x24, 0xcd };
	const u8 *code = (const u8 *)(uintptr_t)ip;
	unsigned int i;

	for (i = 0; i < sizeof(jump); i++)
		if (code[i] != jump[i])
			return false;
	return true;
}

/*
 * A write to code, which the runtime has protected. A read is never its doing; it may come of the
 * translator's look beyond the end of code, which holds the lock that is taken here.
 */
static bool opens(const struct ksiginfo *info, const struct frame *f)
{
	return f->err & WRITE && info->code == SEGV_ACCERR && memory_write_fault(info->addr);
}

/* The translation's own. Return: whether it was, and is mended */
static bool own_fault(struct thread *t, u32 signo, const struct ksiginfo *info, struct frame *f)
{
	const struct run *run;
	bool in_cache = cache_holds(f->rip);

	if (signo == SIGTRAP)
		return t->stepping && info->code == TRAP_TRACE;
	if (signo != SIGSEGV)
		return false;
	if (in_cache && record_is_guard(t, info->addr)) {
		record_drain(t);
		record_escape(t, SOFTPT_XL_TIME, 0, NULL, 0, 0);
		f->rcx = t->words->cursor;
		return true;
	}
	if ((!f->rip && table_hole(table_is_wide() ? t->words->target : f->rcx)) ||
	    (in_cache && beyond_table(f->rip))) {
		f->rip = table_miss();
		return true;
	}
	if (in_cache && opens(info, f)) {
		run = run_find(f->rip);
		if (run && blocks_dead(run->head))
			step_from(t, f);	/* the next instruction is translated anew */
		return true;
	}
	return false;
}

/*
 * The thread was taken over in a system call, and is about to make it anew. For the program it has
 * waited all the time: a handler ends the call.
 */
static void end_call(struct thread *t, struct frame *f)
{
	const struct ksigaction *a = &signal_actions_of(t)[t->signo];
	const u64 ends = t->ends;

	t->ends = 0;
	if (!ends || a->handler <= 1 || (ends & SOFTPT_XL_ENDS_UNLESS && a->flags & SA_RESTART))
		return;
	t->pc += SOFTPT_XL_SYSCALL;
	f->rax = (u64)-EINTR;
	t->inside_rsp = 0;
	record_escape(t, SOFTPT_XL_THREAD, 0, NULL, t->words->tid, t->pc);
}

static void on_fault(struct thread *t, u32 signo, const struct ksiginfo *info, struct frame *f)
{
	const struct run *run;

	if (f->rip == (uintptr_t)at_copy) {
		if (opens(info, f))
			return;
		t->fault_addr = info->addr;
		t->fault_code = (u32)info->code;
		f->rip = (uintptr_t)at_copy_fault;
		return;
	}
	if (signo == SIGTRAP && f->rip == (uintptr_t)at_trap + 1 && t->words->pending) {
		t->words->pending = 0;
		if (signal_is_fault(t->signo, &t->info))
			f->eflags |= RF;
		end_call(t, f);
		deliver(t, t->signo, &t->info, f, t->pc, NULL);
		return;
	}
	if (own_fault(t, signo, info, f)) {
		if (signo == SIGTRAP)
			step_on(t, f);
		return;
	}
	run = cache_holds(f->rip) ? run_find(f->rip) : NULL;
	if (!run) {
		say("softpt: translate: signal %d, code %d, address 0x%x\n", (u64)signo,
		    (u64)(u32)info->code, info->addr);
		die("a fault of the runtime", f->rip);
	}
	requeue(t);
	deliver_keep_fault(t, f->trapno, f->err, f->cr2);
	deliver(t, signo, info, f, program_ip(run, f->rip), run);
}

/* The runtime's own: this thread is to come to the dispatcher. */
static bool is_leave(const struct ksiginfo *info)
{
	return info->signo == SIGTRAP && info->code == SI_QUEUE && info->rest[0] == SOFTPT_XL_LEAVE;
}

/* Of two SIGTRAP that wait the kernel tells the first: the runtime's, and not that of at_trap. */
static bool hides_trap(const struct thread *t, const struct ksiginfo *info, const struct frame *f)
{
	return is_leave(info) && f->rip == (uintptr_t)at_trap + 1 && t->words->pending;
}

/* A thread that the runtime has not seen begin, natively: the handler that it would have had */
static void on_stranger(u32 signo, struct ksiginfo *info, struct frame *f)
{
	const u64 handler = signal_actions[signo].handler;

	if (handler > 1)
		((void (*)(int, struct ksiginfo *, struct frame *))handler)((int)signo, info, f);
	else if (signal_kills(signo) && (!handler || signal_is_fault(signo, info)))
		deliver_death(signo);
}

/* A breakpoint at @addr. A handler that begins there was not called. */
static void on_break(struct thread *t, u64 addr, struct frame *f)
{
	t->stays = true;
	t->broke = f->rsp != t->handler_rsp;
	t->handler_rsp = 0;
	deliver_go_to(t, addr);
	f->rip = (uintptr_t)xl_enter;
}

/* The thread was executing the program itself. */
static void on_native(struct thread *t, u32 signo, const struct ksiginfo *info, struct frame *f)
{
	const bool broke = signo == SIGTRAP && info->code == SI_KERNEL && breaks_at(f->rip - 1);

	if (f->rip - broke != t->pc) {	/* the call that it was taken over in was made anew */
		t->ends = 0;
		t->restarts = 0;
	}
	if (broke) {
		on_break(t, f->rip - 1, f);
		return;
	}
	if (signo == SIGSEGV && signal_is_fault(signo, info) && opens(info, f))
		return;
	if (signal_is_fault(signo, info))
		deliver_keep_fault(t, f->trapno, f->err, f->cr2);
	deliver(t, signo, info, f, f->rip, NULL);
}

void on_signal(int signo, struct ksiginfo *info, struct frame *f)
{
	struct thread *t = current();
	const struct run *run;

	if (native_is_stranger(t, f->rip)) {
		on_stranger((u32)signo, info, f);
		return;
	}
	if (native_is(t, f->rip)) {
		if (is_leave(info))
			deliver_go_on(t, f, f->rip, NULL);
		else
			on_native(t, (u32)signo, info, f);
		return;
	}
	if (signal_is_fault((u32)signo, info) || hides_trap(t, info, f)) {
		on_fault(t, (u32)signo, info, f);
		return;
	}
	run = at_program(f->rip);
	if (is_leave(info)) {
		if (run)
			deliver_go_on(t, f, program_ip(run, f->rip), run);
		else if (!f->rip || cache_holds(f->rip))
			step_from(t, f);
		else
			t->left = true;
		return;
	}
	if (run) {
		deliver(t, (u32)signo, info, f, program_ip(run, f->rip), run);
		return;
	}
	if (f->rip >= (uintptr_t)at_call_check && f->rip <= (uintptr_t)at_call)
		f->rip = (uintptr_t)at_call_abort;
	hold(t, (u32)signo, info, f);
	if (!f->rip || cache_holds(f->rip))
		step_from(t, f);
}
