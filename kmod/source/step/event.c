// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event trace: the exceptions that a stepped task causes, as EVD and CFE packets before the FUP and
 * TIP.PGD of the way into the kernel (SDM, "Event Trace").
 *
 * The kernel tells of them by a tracepoint (#PF), by notifiers (those of do_error_trap(), and #BP),
 * or not before their signal is delivered. Nothing tells of interrupts, and #DB is our own.
 */

#include <linux/sched.h>
#include <linux/signal.h>
#include <asm/trapnr.h>

#include "step.h"

#define CFE_INTR	1	/* interrupt, exception or fault */
#define EVD_PFA		0	/* page fault linear address */

/* Whether the instruction at @step->at.ip, which has not retired, may be in a CFE. */
static bool may_fault(const struct softpt_step *step, const struct pt_regs *regs)
{
	return softpt_step_traces_events(step) && step->flow.enabled && !step->flow.in_kernel &&
	       !step->trap.deferred && regs->ip == step->at.ip && regs->orig_ax == -1;
}

/* Without BranchEn there is no other FUP that a CFE could bind to. */
static void send_cfe(struct softpt_step *step, u8 vector, bool fup)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_CFE, .arg = vector, .arg2 = CFE_INTR, .ip = step->at.ip,
		.flags = fup ? SOFTPT_EVF_IP : 0,
	};

	softpt_step_send(step, &ev);
}

/* What belongs together has one time: no MTC comes between. */
static void enter(struct softpt_step *step, u8 vector)
{
	send_cfe(step, vector, !softpt_step_traces_flow(step));
	softpt_step_interrupt_now(step);
}

/**
 * softpt_step_page_fault() - the instruction at @regs->ip has caused a page fault
 * @step: the task
 * @regs: of its user mode
 * @address: in CR2
 *
 * Context: interrupts off.
 */
void softpt_step_page_fault(struct softpt_step *step, const struct pt_regs *regs, u64 address)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_EVD, .arg = address, .arg2 = EVD_PFA };

	if (likely(!may_fault(step, regs)))
		return;
	softpt_step_tick(step);
	softpt_step_send(step, &ev);
	enter(step, X86_TRAP_PF);
}

/**
 * softpt_step_exception() - the instruction at @regs->ip has caused an exception
 * @step: the task
 * @regs: of its user mode
 * @vector: the exception's
 *
 * Context: interrupts off.
 */
void softpt_step_exception(struct softpt_step *step, const struct pt_regs *regs, u8 vector)
{
	if (likely(!may_fault(step, regs)))
		return;
	softpt_step_tick(step);
	enter(step, vector);
}

/**
 * softpt_step_breakpoint() - an INT3 was executed: the program's, or a debugger's
 * @step: the task
 * @regs: of its user mode, behind the INT3
 *
 * Whose it is, and so what packets the way into the kernel has, is seen on the way back.
 *
 * Context: interrupts off.
 */
void softpt_step_breakpoint(struct softpt_step *step, const struct pt_regs *regs)
{
	struct pt_regs at = *regs;

	at.ip--;
	if (likely(!may_fault(step, &at)))
		return;
	softpt_step_tick(step);
	send_cfe(step, X86_TRAP_BP, true);
}

/* Exceptions that no notifier has: the vector whose signal this is, if it is the last one's */
static int vector_of(int sig, int code)
{
	switch (sig) {
	case SIGSEGV:
		return code == SI_KERNEL ? X86_TRAP_GP : -1;
	case SIGBUS:
		return code == BUS_ADRALN ? X86_TRAP_AC : -1;
	case SIGFPE:
		if (code < FPE_FLTDIV || code > FPE_FLTSUB)
			return -1;
		return current->thread.trap_nr == X86_TRAP_MF ? X86_TRAP_MF : X86_TRAP_XF;
	default:
		return -1;
	}
}

/**
 * softpt_step_signal() - a signal is about to be delivered to a task, which may be an exception's
 * @step: the task
 * @regs: of its user mode
 * @sig: the signal
 * @code: its si_code
 *
 * The first signal after an exception is its own. Whatever this one is of, the kernel was entered:
 * a second one finds that told, and is not taken for an exception.
 *
 * Context: interrupts off.
 */
void softpt_step_signal(struct softpt_step *step, const struct pt_regs *regs, int sig, int code)
{
	int vector = vector_of(sig, code);

	if (likely(!may_fault(step, regs)))
		return;
	softpt_step_tick(step);
	if (vector >= 0 && current->thread.trap_nr == vector)
		enter(step, vector);
	else
		softpt_step_interrupt_now(step);
}
