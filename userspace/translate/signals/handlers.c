// SPDX-License-Identifier: BSD-2-Clause
#include "handlers.h"

#include <linux/signal.h>

#include "../guest.h"
#include "../sys.h"

#define SYNC	(BIT_OF(SIGILL) | BIT_OF(SIGTRAP) | BIT_OF(SIGBUS) | BIT_OF(SIGFPE) | \
		 BIT_OF(SIGSEGV))
#define UNBLOCKABLE	(BIT_OF(SIGKILL) | BIT_OF(SIGSTOP))

struct ksigaction signal_actions[SIGNALS + 1];
struct lock signal_lock;

bool signal_is_sync(u32 signo)
{
	return SYNC & BIT_OF(signo);
}

u64 signal_kernel_mask(u64 mask)
{
	return mask & ~SYNC;
}

u64 signal_program_mask(u64 mask)
{
	return mask & ~UNBLOCKABLE;
}

void signal_set_mask(u64 mask)
{
	sys(__NR_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

void signal_block_all(void)
{
	signal_set_mask(~SYNC);
}

void signal_block_faults(void)
{
	signal_set_mask(~0ull);
}

void signal_unblock(const struct thread *t)
{
	signal_set_mask(signal_kernel_mask(t->mask));
}

static bool is_ignored(u32 signo)
{
	return signo == SIGCHLD || signo == SIGCONT || signo == SIGURG || signo == SIGWINCH;
}

static bool stops(u32 signo)
{
	return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

bool signal_kills(u32 signo)
{
	return !is_ignored(signo) && !stops(signo);
}

struct ksigaction *signal_actions_of(const struct thread *t)
{
	return t->actions ? t->actions : signal_actions;
}

void signal_install(u32 signo, const struct ksigaction *a)
{
	const u64 kept = SA_NOCLDSTOP | SA_NOCLDWAIT;
	struct ksigaction k = {
		.handler = a->handler, .flags = SA_RESTORER | (a->flags & kept),
		.restorer = (uintptr_t)at_restore, .mask = ~SYNC,
	};

	if (a->handler > 1 || signal_is_sync(signo) || (!a->handler && signal_kills(signo))) {
		k.handler = (uintptr_t)xl_signal;
		k.flags |= SA_SIGINFO | SA_ONSTACK | (a->flags & SA_RESTART);
	}
	sys(__NR_rt_sigaction, signo, &k, 0, 8);
}

void signal_use_alt_stack(const struct thread *t)
{
	const struct altstack alt = { .sp = t->stack + STACK_SIZE, .size = ALT_SIZE };

	sys(__NR_sigaltstack, &alt, 0);
}

static bool is_catchable(u32 signo)
{
	return signo != SIGKILL && signo != SIGSTOP;
}

void signal_take_over(void)
{
	u32 signo;

	for (signo = 1; signo <= SIGNALS; signo++) {
		if (!is_catchable(signo))
			continue;
		sys(__NR_rt_sigaction, signo, 0, &signal_actions[signo], 8);
		signal_install(signo, &signal_actions[signo]);
	}
}

void signal_init(struct thread *t)
{
	sys(__NR_rt_sigprocmask, SIG_BLOCK, 0, &t->mask, 8);
	signal_unblock(t);
	signal_use_alt_stack(t);
	signal_take_over();
}

void signal_give_back(void)
{
	u32 signo;

	for (signo = 1; signo <= SIGNALS; signo++)
		if (is_catchable(signo))
			sys(__NR_rt_sigaction, signo, &signal_actions[signo], 0, 8);
}

void signal_take_alt_stack(struct thread *t)
{
	sys(__NR_sigaltstack, 0, &t->alt);
	t->alt.flags &= SS_AUTODISARM | SS_DISABLE;
	if (t->alt.flags & SS_DISABLE)
		t->alt.size = 0;
}

void signal_give_alt_stack(const struct thread *t)
{
	struct altstack alt = t->alt;

	if (!alt.size)
		alt.flags = SS_DISABLE;
	sys(__NR_sigaltstack, &alt, 0);
}

void signal_forked(void)
{
	signal_lock.taken = 0;
}

bool signal_on_alt_stack(const struct thread *t, u64 sp)
{
	return t->alt.size && sp > t->alt.sp && sp - t->alt.sp <= t->alt.size;
}

u32 signal_alt_flags(const struct thread *t, u64 sp)
{
	u32 flags = t->alt.flags & ~3u;

	if (!t->alt.size)
		return flags | SS_DISABLE;
	return signal_on_alt_stack(t, sp) ? flags | SS_ONSTACK : flags;
}
