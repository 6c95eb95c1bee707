// SPDX-License-Identifier: BSD-2-Clause
#include "deliver.h"

#include <linux/signal.h>

#include "../code/record.h"
#include "../exec/traced.h"
#include "../guest.h"
#include "../sys.h"
#include "handlers.h"

#define TRAP_BREAKPOINT	3
#define TRAP_PAGE_FAULT	14
#define TF		0x100ull
#define DF		0x400ull
#define RF		0x10000ull
#define RED_ZONE	128
#define XSTATE_MAGIC	0x46505853	/* in the software's part of an FXSAVE image */
#define XSTATE_AT	464

/* Not one that somebody has sent */
bool signal_is_fault(u32 signo, const struct ksiginfo *info)
{
	return info->code > 0 && signal_is_sync(signo);
}

/* The program is killed by a signal. */
void deliver_death(u32 signo)
{
	const struct ksigaction dfl = { .flags = SA_RESTORER, .restorer = (uintptr_t)at_restore };

	sys(__NR_rt_sigaction, signo, &dfl, 0, 8);
	signal_set_mask(~BIT_OF(signo));
	sys(__NR_tgkill, sys_pid(), sys_tid(), signo);
	sys(__NR_exit_group, 128 + signo);
}

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
void deliver_go_to(struct thread *t, u64 pc)
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
void deliver_keep_fault(struct thread *t, u64 trapno, u64 err, u64 cr2)
{
	t->trapno = trapno;
	t->err = err;
	if (trapno == TRAP_PAGE_FAULT)
		t->cr2 = cr2;
}

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
	const bool fault = signal_is_fault(signo, info);
	const bool at_pc = signo != SIGSEGV && signo != SIGBUS;

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

void deliver(struct thread *t, u32 signo, const struct ksiginfo *from, struct frame *f, u64 pc,
	     const struct run *run)
{
	bool forced = signal_is_fault(signo, from);
	bool again = forced && run && traced_now(t);	/* the tracer is told first */
	struct ksigaction a = { .handler = 1 };
	struct ksiginfo info = *from;
	u32 flags = t->in_call ? SOFTPT_XL_IN_KERNEL : 0;
	u64 sp = 0;

	if (t->undone || (run && run->flags & RUN_RECORDED))
		flags |= SOFTPT_XL_UNDONE;
	if (signo == SIGTRAP && from->code == SI_KERNEL && t->trapno == TRAP_BREAKPOINT)
		flags |= SOFTPT_XL_TRAPPED;
	if (run && run->flags & RUN_SPILLED)
		f->rcx = t->words->rcx;
	restore_scratch(t, f, run);
	f->eflags &= ~TF;
	f->rip = (uintptr_t)xl_enter;
	t->stepping = false;
	deliver_go_to(t, pc);
	if (!again)
		a = action_for(t, signo, forced);
	if (!a.handler && signal_kills(signo)) {
		keep_crash(t, signo, from, f, pc);
		record_escape(t, signo, flags, run, pc, 0);
		deliver_death(signo);
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
void deliver_go_on(struct thread *t, struct frame *f, u64 pc, const struct run *run)
{
	f->eflags &= ~(TF | RF);
	f->rip = (uintptr_t)xl_enter;
	t->stepping = false;
	deliver_go_to(t, pc);
	record_escape(t, SOFTPT_XL_GO_ON, 0, run, pc, pc);
}
