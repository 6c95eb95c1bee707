// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to tasks: exec, fork, exit, signals, switches and page faults, from tracepoints.
 *
 * Since 7.0 a tracepoint calls its probes under SRCU and leaves preemption on. So each probe that
 * asks who is stepped on this CPU turns preemption off, or interrupts.
 */

#include <linux/binfmts.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "compat.h"
#include "source/probe.h"
#include "step.h"

/*
 * Whether the new program may not be traced by who traced the old: it got privileges by exec, or
 * its file is not readable. It could not be ptraced either.
 */
static bool is_private(const struct linux_binprm *bprm)
{
	return bprm->secureexec || !softpt_is_dumpable(current);
}

static void exec(struct softpt_step *step, struct pt_regs *regs, bool private)
{
	step->trap.leaked = false;	/* that memory has gone */
	if (!softpt_step_gate(step))
		return;		/* detached on the way back to user mode */
	if (private && step->task) {
		softpt_step_end(step, regs, false);
		return;
	}
	if (step->flow.enabled && !step->flow.in_kernel)
		softpt_step_syscall(step, true);
	step->retire.ch = NULL;
	step->trap.iterating = false;
	step->trap.slots = 0;
	step->state = SOFTPT_STEP_STEPPING;
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct softpt_step *step, *pending;
	unsigned long flags;

	local_irq_save(flags);
	step = softpt_step_on_cpu();
	pending = softpt_step_pending();
	if (pending)
		/* The program that was checked is gone. */
		pending->exec_id = is_private(bprm) ? U64_MAX : current->self_exec_id;
	if (step)
		exec(step, task_pt_regs(task), is_private(bprm));
	local_irq_restore(flags);
}

/* For TIF_FORCED_TF the kernel has taken TF out of the child's flags, but not out of R11. */
static void clean_child(struct task_struct *child)
{
	softpt_step_hide_tf(task_pt_regs(child));
	clear_tsk_thread_flag(child, TIF_FORCED_TF);
}

static void forked(struct task_struct *child)
{
	struct softpt_step *step = softpt_step_on_cpu();

	if (step && softpt_step_is_stepping(step) && softpt_step_owns_tf())
		clean_child(child);
	if (!step || !step->task || !softpt_step_gate(step))
		step = softpt_step_pending();
	if (!step || step->state == SOFTPT_STEP_ARMED)
		return;
	if (step->set->inherit && softpt_step_gate(step))
		softpt_step_inherit(step, child);
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	preempt_disable();
	forked(child);
	preempt_enable();
}

static void probe_exit(void *data, struct task_struct *task)
{
	struct softpt_step *step;
	unsigned long flags;

	local_irq_save(flags);
	step = softpt_step_of_current();
	if (step)
		softpt_step_end(step, task_pt_regs(task), true);
	local_irq_restore(flags);
}

/* A signal that is ignored, by the program or by default, or handled, or that only stops */
static bool is_survived(int sig, const struct k_sigaction *ka)
{
	return ka->sa.sa_handler != SIG_DFL || sig_kernel_ignore(sig) || sig_kernel_stop(sig);
}

/*
 * The signal behind a SIGKILL. A signal that ends a program without a core is delivered as SIGKILL,
 * and is in the exit code. A signal with a core is delivered as itself to its thread, and as
 * SIGKILL to the others. The exit code is read under siglock: get_signal() holds it here.
 */
static int cause_of(int sig)
{
	int code = current->signal->group_exit_code & 0x7f;

	return sig == SIGKILL && code && !sig_kernel_coredump(code) ? code : sig;
}

static void report_signal(struct softpt_step *step, int sig, int code,
			  const struct k_sigaction *ka)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct softpt_event ev = {
		.kind = SOFTPT_EV_SIGNAL, .arg = cause_of(sig), .arg2 = is_survived(sig, ka),
		.ip = regs->ip, .flags = SOFTPT_EVF_IP,
	};
	unsigned long flags;

	local_irq_save(flags);
	softpt_step_signal(step, regs, sig, code);
	if (softpt_step_wanted(step, SOFTPT_ON_SIGNAL))
		softpt_step_report(step, regs, &ev);
	local_irq_restore(flags);
}

/* The signal's frame is about to be written: it must hold the flags without our TF. */
static void deliver(int sig, int code, const struct k_sigaction *ka)
{
	struct softpt_step *step = softpt_step_on_cpu();

	if (step && softpt_step_is_stepping(step))
		report_signal(step, sig, code, ka);
	if (step && softpt_step_is_stepping(step) && softpt_step_owns_tf() &&
	    !test_thread_flag(TIF_SINGLESTEP))
		softpt_step_hide_tf(task_pt_regs(current));
}

/* A SIGKILL of the kernel's has no siginfo. */
static int code_of(const struct kernel_siginfo *info)
{
	return info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV ? SI_USER : info->si_code;
}

static void probe_signal(void *data, int sig, struct kernel_siginfo *info,
			 struct k_sigaction *ka)
{
	preempt_disable();
	deliver(sig, code_of(info), ka);
	preempt_enable();
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct softpt_step *step = softpt_step_of_current();
	bool waits = !preempt && prev_state;

	if (step && softpt_step_is_stepping(step))
		softpt_step_count(step, SOFTPT_CLASS_CONTEXT_SWITCHES,
				  waits ? SOFTPT_SUB_CONTEXT_SWITCHES_VOLUNTARY :
					  SOFTPT_SUB_CONTEXT_SWITCHES_PREEMPTED, 0);
	softpt_step_cpu_switch();
}

static void probe_fault(void *data, unsigned long address, struct pt_regs *regs,
			unsigned long error_code)
{
	struct softpt_step *step;
	unsigned long flags;

	local_irq_save(flags);
	step = softpt_step_on_cpu();
	if (step && softpt_step_is_stepping(step)) {
		softpt_step_fifo_execute(step, regs->ip);
		if (!(error_code & X86_PF_INSTR))
			softpt_step_fifo_access(step, address);
		softpt_step_count(step, SOFTPT_CLASS_PAGE_FAULTS, softpt_page_fault(error_code),
				  3);
		if (softpt_step_wanted(step, SOFTPT_ON_DATA) && step->flow.enabled)
			softpt_step_report_data(step, address, regs->ip);
		softpt_step_page_fault(step, regs, address);
		if (unlikely(step->trap.halt))
			softpt_step_halt(step);
	}
	local_irq_restore(flags);
}

static struct softpt_probe probes[] = {
	{ "sched_switch", probe_switch },
	{ "sched_process_exec", probe_exec },
	{ "sched_process_fork", probe_fork },
	{ "sched_process_exit", probe_exit },
	{ "signal_deliver", probe_signal },
	{ "page_fault_user", probe_fault },
};

/* Return: whether this kernel has all of the tracepoints. */
bool softpt_step_probes_found(void)
{
	return softpt_probes_find(probes, ARRAY_SIZE(probes));
}

int softpt_step_probes_register(void)
{
	return softpt_probes_register(probes, ARRAY_SIZE(probes));
}

void softpt_step_probes_unregister(void)
{
	softpt_probes_unregister(probes, ARRAY_SIZE(probes));
}
