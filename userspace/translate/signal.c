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

#include "code/breaks.h"
#include "code/cache.h"
#include "code/emit.h"
#include "code/number.h"
#include "code/record.h"
#include "code/table.h"
#include "exec/traced.h"
#include "guest.h"
#include "memory.h"
#include "native.h"
#include "signal.h"
#include "sys.h"

#define TRAP_PROTECTION	13
#define TRAP_PAGE_FAULT	14
#define FETCH		0x14	/* an instruction, in user mode */
#define WRITE		0x2
#define TF		0x100ull
#define DF		0x400ull
#define RF		0x10000ull
#define RED_ZONE	128
#define XSTATE_MAGIC	0x46505853	/* in the software's part of an FXSAVE image */
#define XSTATE_AT	464

/* Not one that somebody has sent */
static bool is_fault(u32 signo, const struct ksiginfo *info)
{
	return info->code > 0 && signal_is_sync(signo);
}

/* The program is killed by a signal. */
static void die_by(u32 signo)
{
	const struct ksigaction dfl = { .flags = SA_RESTORER, .restorer = (uintptr_t)at_restore };

	sys(__NR_rt_sigaction, signo, &dfl, 0, 8);
	signal_set_mask(~BIT_OF(signo));
	sys(__NR_tgkill, sys_pid(), sys_tid(), signo);
	sys(__NR_exit_group, 128 + signo);
}

/* ---- delivery ---- */

/* The kernel's frame, made again on the program's stack. Return: false: no memory there */
static bool put_frame(struct thread *t, struct frame *f, const struct ksigaction *a,
		      const struct ksiginfo *info, u64 pc, u64 *at)
{
	struct frame copy = *f;
	u64 sp = f->rsp - RED_ZONE, size = 512;
	const u32 *fp;

	if (a->flags & SA_ONSTACK && t->alt.size && !signal_on_alt_stack(t, f->rsp))
		sp = t->alt.sp + t->alt.size;
	copy.fpstate = 0;
	if (f->fpstate) {
		fp = (const u32 *)(uintptr_t)(f->fpstate + XSTATE_AT);
		if (fp[0] == XSTATE_MAGIC)
			size = fp[1];
		sp = (sp - size) & ~63ull;
		if (!guest_write(sp, (const void *)(uintptr_t)f->fpstate, size))
			return false;
		copy.fpstate = sp;
	}
	sp = ((sp - 8 - sizeof(copy) - sizeof(*info)) & ~15ull) - 8;
	copy.link = 0;
	copy.alt = t->alt;
	copy.alt.flags = signal_alt_flags(t, f->rsp);
	copy.rip = pc;
	copy.mask = t->mask;
	copy.oldmask = t->mask;
	copy.err = t->err;
	copy.trapno = t->trapno;
	copy.cr2 = t->cr2;
	*at = sp;
	return guest_write(sp, &a->restorer, 8) && guest_write(sp + 8, &copy, sizeof(copy)) &&
	       guest_write(sp + 8 + sizeof(copy), info, sizeof(*info));
}

/* The handler runs next, with @sp at its frame. */
static void enter_handler(struct thread *t, u32 signo, struct frame *f,
			  const struct ksigaction *a, u64 sp)
{
	u64 mask = t->waits ? t->wait_mask : t->mask;

	if (t->alt.flags & SS_AUTODISARM)
		t->alt = (struct altstack){ .flags = SS_DISABLE };
	mask |= a->mask;
	if (!(a->flags & SA_NODEFER))
		mask |= BIT_OF(signo);
	t->mask = signal_program_mask(mask);
	t->waits = false;
	f->mask = signal_kernel_mask(t->mask);
	f->rdi = signo;
	f->rsi = sp + 8 + sizeof(*f);
	f->rdx = sp + 8;
	f->rax = 0;
	f->rsp = sp;
	t->handler_rsp = sp;
	f->eflags &= ~(DF | RF);
	f->fpstate = 0;		/* a handler begins with a fresh FPU */
	t->words->target = a->handler;
}

/* The dispatcher is entered next, for what is at @pc: no branch leads there. */
static void go_to(struct thread *t, u64 pc)
{
	t->words->target = pc;
	t->words->link = 0;
	t->entered = true;
}

/* What is done about it now. A fault that is blocked or ignored kills. */
static struct ksigaction action_for(struct thread *t, u32 signo, bool forced)
{
	struct ksigaction *actions = signal_actions_of(t), a;
	bool blocked = t->mask & BIT_OF(signo);

	lock(&signal_lock);
	a = actions[signo];
	if (a.handler > 1 && a.flags & SA_RESETHAND && !(forced && blocked)) {
		actions[signo].handler = 0;
		signal_install(signo, &actions[signo]);
	}
	unlock(&signal_lock);
	if (forced && (blocked || a.handler == 1))
		a.handler = 0;
	if (!forced && signal_is_sync(signo) && blocked) {
		t->held |= BIT_OF(signo);
		a.handler = 1;
	}
	return a;
}

/* The kernel tells these of a thread's last fault with each signal from there on. */
static void keep_fault(struct thread *t, u64 trapno, u64 err, u64 cr2)
{
	t->trapno = trapno;
	t->err = err;
	if (trapno == TRAP_PAGE_FAULT)
		t->cr2 = cr2;
}

static void deliver(struct thread *t, u32 signo, const struct ksiginfo *from, struct frame *f,
		    u64 pc, const struct run *run);

static void restore_scratch(const struct thread *t, struct frame *f, const struct run *run)
{
	if (run && run->flags & RUN_RSI)
		f->rsi = t->words->scratch;
	if (run && run->flags & RUN_RDI)
		f->rdi = t->words->scratch;
	if (run && run->flags & RUN_RBX)
		f->rbx = t->words->scratch;
}

/* The handler of @signo has no stack: that is a SIGSEGV, which may have another. */
static void no_room(struct thread *t, u32 signo, struct frame *f, u64 pc, const struct run *run)
{
	const struct ksiginfo info = { .signo = SIGSEGV, .code = SI_KERNEL };

	if (signo == SIGSEGV)
		signal_actions_of(t)[SIGSEGV].handler = 0;
	deliver(t, SIGSEGV, &info, f, pc, run);
}

/* For the recorder, which hears of the signal next */
static void keep_crash(struct thread *t, u32 signo, const struct ksiginfo *info,
		       const struct frame *f, u64 pc)
{
	const bool fault = is_fault(signo, info), at_pc = signo != SIGSEGV && signo != SIGBUS;

	t->words->crash = (struct softpt_xl_crash){
		.signo = signo,
		.code = info->code,
		.addr = fault && at_pc ? pc : info->addr,
		.trap = fault ? (u32)t->trapno : 0,
		.err = fault ? (u32)t->err : 0,
		.rip = pc,
		.rflags = f->eflags,
		.reg = {
			f->rax, f->rcx, f->rdx, f->rbx, f->rsp, f->rbp, f->rsi, f->rdi,
			f->r8, f->r9, f->r10, f->r11, f->r12, f->r13, f->r14, f->r15,
		},
	};
}

static void deliver(struct thread *t, u32 signo, const struct ksiginfo *from, struct frame *f,
		    u64 pc, const struct run *run)
{
	bool forced = is_fault(signo, from);
	bool again = forced && run && traced_now(t);	/* the tracer is told first */
	struct ksigaction a = { .handler = 1 };
	struct ksiginfo info = *from;
	u32 flags = t->in_call ? SOFTPT_XL_IN_KERNEL : 0;
	u64 sp = 0;

	if (t->undone || (run && run->flags & RUN_RECORDED))
		flags |= SOFTPT_XL_UNDONE;
	if (run && run->flags & RUN_SPILLED)
		f->rcx = t->words->rcx;
	restore_scratch(t, f, run);
	f->eflags &= ~TF;
	f->rip = (uintptr_t)xl_enter;
	t->stepping = false;
	go_to(t, pc);
	if (!again)
		a = action_for(t, signo, forced);
	if (!a.handler && signal_kills(signo)) {
		keep_crash(t, signo, from, f, pc);
		record_escape(t, signo, flags, run, pc, 0);
		die_by(signo);
	}
	if (a.handler <= 1) {		/* changed since it was installed */
		f->eflags &= ~RF;
		f->mask = signal_kernel_mask(t->mask);
		record_escape(t, SOFTPT_XL_GO_ON, flags, run, pc, pc);
		t->in_call = false;
		return;
	}
	if (forced && (signo == SIGILL || signo == SIGFPE))
		info.addr = pc;
	if (!put_frame(t, f, &a, &info, pc, &sp)) {
		no_room(t, signo, f, pc, run);
		return;
	}
	record_escape(t, signo, flags, run, pc, a.handler);
	t->in_call = false;
	t->undone = false;
	enter_handler(t, signo, f, &a, sp);
}

/* The instruction at @pc is translated anew. */
static void go_on_at(struct thread *t, struct frame *f, u64 pc, const struct run *run)
{
	f->eflags &= ~(TF | RF);
	f->rip = (uintptr_t)xl_enter;
	t->stepping = false;
	go_to(t, pc);
	record_escape(t, SOFTPT_XL_GO_ON, 0, run, pc, pc);
}

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
		keep_fault(t, TRAP_PAGE_FAULT, FETCH | present, addr);
	else if (t->undone)
		keep_fault(t, TRAP_PROTECTION, 0, 0);
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
		go_on_at(t, f, program_ip(run, f->rip), run);
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
		if (is_fault(t->signo, &t->info))
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
	keep_fault(t, f->trapno, f->err, f->cr2);
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
	else if (signal_kills(signo) && (!handler || is_fault(signo, info)))
		die_by(signo);
}

/* A breakpoint at @addr. A handler that begins there was not called. */
static void on_break(struct thread *t, u64 addr, struct frame *f)
{
	t->stays = true;
	t->broke = f->rsp != t->handler_rsp;
	t->handler_rsp = 0;
	go_to(t, addr);
	f->rip = (uintptr_t)xl_enter;
}

/* The thread was executing the program itself. */
static void on_native(struct thread *t, u32 signo, const struct ksiginfo *info, struct frame *f)
{
	if (f->rip != t->pc) {	/* the system call that it was taken over in was made anew */
		t->ends = 0;
		t->restarts = 0;
	}
	if (signo == SIGTRAP && info->code == SI_KERNEL && breaks_at(f->rip - 1)) {
		on_break(t, f->rip - 1, f);
		return;
	}
	if (signo == SIGSEGV && is_fault(signo, info) && opens(info, f))
		return;
	if (is_fault(signo, info))
		keep_fault(t, f->trapno, f->err, f->cr2);
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
			go_on_at(t, f, f->rip, NULL);
		else
			on_native(t, (u32)signo, info, f);
		return;
	}
	if (is_fault((u32)signo, info) || hides_trap(t, info, f)) {
		on_fault(t, (u32)signo, info, f);
		return;
	}
	run = at_program(f->rip);
	if (is_leave(info)) {
		if (run)
			go_on_at(t, f, program_ip(run, f->rip), run);
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
