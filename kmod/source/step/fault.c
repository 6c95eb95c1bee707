// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exceptions of emulated instructions: the signals that the kernel would send to the current task
 * for the processor's exceptions. The kernel's functions that do so are not exported.
 */

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <asm/debugreg.h>
#include <asm/page.h>
#include <asm/trap_pf.h>
#include <asm/trapnr.h>

#include "step.h"

/* The table of handlers is valid for the current task; other threads may change what is in it. */
static bool is_ignored(int sig)
{
	struct sighand_struct *sighand = rcu_dereference_protected(current->sighand, true);

	return READ_ONCE(sighand->action[sig - 1].sa.sa_handler) == SIG_IGN;
}

/*
 * The first process of a PID namespace gets no signal without a handler, but for those that its own
 * instruction causes: it would be at that instruction for ever. As in force_sig_info_to_task(),
 * a task under ptrace stays as it is.
 */
static void allow_kill(int sig)
{
	struct sighand_struct *sighand = rcu_dereference_protected(current->sighand, true);

	spin_lock_irq(&sighand->siglock);
	if (sighand->action[sig - 1].sa.sa_handler == SIG_DFL && !current->ptrace)
		current->signal->flags &= ~SIGNAL_UNKILLABLE;
	spin_unlock_irq(&sighand->siglock);
}

/* A signal that is blocked or ignored kills. */
static void force(struct kernel_siginfo *info)
{
	bool blocked = sigismember(&current->blocked, info->si_signo);
	sigset_t set;

	if (blocked || is_ignored(info->si_signo))
		kernel_sigaction(info->si_signo, SIG_DFL);
	if (blocked) {
		siginitset(&set, sigmask(info->si_signo));
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	allow_kill(info->si_signo);
	send_sig_info(info->si_signo, info, current);
}

static void raise(int sig, int code, unsigned long addr, int trap, long error)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = sig;
	info.si_code = code;
	info.si_addr = (void __user *)addr;
	current->thread.trap_nr = trap;
	current->thread.error_code = error;
	force(&info);
}

/* #DB: an instruction is done, and the program or its debugger has TF set. */
void softpt_step_raise_debug(const struct pt_regs *regs)
{
	current->thread.virtual_dr6 |= DR_STEP;
	raise(SIGTRAP, TRAP_TRACE, regs->ip, X86_TRAP_DB, 0);
}

/* #UD */
void softpt_step_raise_undefined(const struct pt_regs *regs)
{
	raise(SIGILL, ILL_ILLOPN, regs->ip, X86_TRAP_UD, 0);
}

static bool is_canonical(unsigned long address)
{
	return __is_canonical_address(address, __VIRTUAL_MASK_SHIFT + 1);
}

/* #PF: nothing is mapped there, or it may not be read, or what is mapped has no such page. */
static void raise_page_fault(unsigned long address)
{
	long error = X86_PF_USER | (address >= TASK_SIZE_MAX ? X86_PF_PROT : 0);
	int sig = SIGSEGV, code = SEGV_MAPERR;
	struct vm_area_struct *vma;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, address);
	if (vma && vma->vm_start <= address) {
		code = SEGV_ACCERR;
		if (vma_is_accessible(vma)) {
			sig = SIGBUS;
			code = BUS_ADRERR;
		}
	}
	mmap_read_unlock(current->mm);
	current->thread.cr2 = address;
	raise(sig, code, address, X86_TRAP_PF, error);
}

/**
 * softpt_step_raise_access() - an operand cannot be read
 * @address: of the operand
 * @size: its bytes
 * @left: how many of them could not be read
 * @stack: it is in the stack's segment
 */
void softpt_step_raise_access(unsigned long address, unsigned int size, unsigned int left,
			      bool stack)
{
	if (is_canonical(address) && is_canonical(address + size - 1))
		raise_page_fault(address + size - left);
	else if (stack)
		raise(SIGBUS, SI_KERNEL, 0, X86_TRAP_SS, 0);
	else
		raise(SIGSEGV, SI_KERNEL, 0, X86_TRAP_GP, 0);
}
