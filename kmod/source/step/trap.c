// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trap after each instruction of a stepped task (#DB with DR6.BS), taken from the
 * kernel's chain of die notifiers: interrupts are off, and the task is on its own
 * stack. This is the hot path: read 15 bytes, classify, send an event.
 */

#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uprobes.h>
#include <asm/debugreg.h>
#include <asm/trapnr.h>

#include "compat.h"
#include "step.h"
#include "user.h"
#include "x86/insn.h"

/*
 * REP traps once per iteration. On some processors, and under TCG, one trap more finds the count
 * used up: that trap is not one more cycle.
 *
 * Return: true when this trap was another iteration.
 */
static bool iterate(struct softpt_step *step, const struct pt_regs *regs)
{
	if (regs->ip == step->at.ip) {
		step->clock.cycles++;
		step->at.cx = regs->cx;
		return true;
	}
	step->trap.iterating = false;
	if (!step->at.cx)
		step->clock.cycles--;
	return false;
}

/*
 * Before the task returns to user mode or gets a signal: read what the trap could not, as a
 * debugger would. If that fails, too, the trace has a hole of one instruction: FUP and TIP.PGD
 * before it, TIP.PGE behind it.
 */
static void read_deferred(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);
	struct pt_regs *regs = task_pt_regs(current);
	u8 code[SOFTPT_INSN_MAX];
	bool deferred, halt;
	unsigned long ip;
	int n = 0;

	local_irq_disable();
	deferred = step->trap.deferred;
	ip = step->at.ip;
	local_irq_enable();
	if (deferred)
		n = softpt_read_own(ip, code, sizeof(code));
	local_irq_disable();
	/* If it was switched out meanwhile, nothing is deferred any more: softpt_step_pause() */
	if (step->trap.deferred && !softpt_step_retire(step, regs, code, max(n, 0)))
		softpt_step_pause(step, regs);
	step->trap.deferred = false;
	softpt_step_wait(step);
	halt = step->trap.halt;
	local_irq_enable();
	if (unlikely(step->trap.pushed))
		softpt_step_hide_late(step);
	if (unlikely(halt))
		softpt_step_halt(step);
	softpt_step_put(step);
}

/* A CPU's step has no task work, and so there is a hole at once. */
static void defer(struct softpt_step *step, struct pt_regs *regs)
{
	if (step->task)
		step->trap.deferred = softpt_step_defer(step, read_deferred);
	else
		softpt_step_pause(step, regs);
}

static void retire(struct softpt_step *step, struct pt_regs *regs)
{
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n;

	if (unlikely(!step->flow.enabled)) {
		softpt_step_retire_apart(step, regs);
		return;
	}
	if (step->trap.iterating && iterate(step, regs))
		return;
	if (unlikely(!softpt_step_fetch(step->at.ip, code, &n) ||
		     !softpt_step_retire(step, regs, code, n)))
		defer(step, regs);
}

/* Return: whether the trap is ours alone. */
static bool trap(struct softpt_step *step, struct pt_regs *regs)
{
	bool ours = softpt_step_owns_tf() && !test_thread_flag(TIF_SINGLESTEP);

	if (!softpt_step_is_stepping(step))
		return false;
	if (unlikely(step->trap.early)) {
		step->trap.early = false;
		return false;
	}
	if (likely(softpt_step_gate(step))) {
		retire(step, regs);
		if (likely(!step->trap.deferred))	/* else read_deferred() does */
			softpt_step_wait(step);
		if (unlikely(step->trap.halt))
			softpt_step_halt(step);
	} else {
		/* The program has loaded an image of our TF. */
		if (step->trap.leaked && !test_thread_flag(TIF_SINGLESTEP)) {
			regs->flags &= ~X86_EFLAGS_TF;
			ours = true;
		}
		softpt_step_detach(step, regs);
	}
	return ours;
}

/*
 * Take BS out of DR6. B0 to B3 of this trap may be of a debugger's breakpoint on the next
 * instruction, which sets them again when that instruction is to be executed. A breakpoint that has
 * hit is in virtual_dr6 by now, and its SIGTRAP is due.
 */
static int hide_step(unsigned long *dr6, unsigned long virtual_before)
{
	unsigned long *virtual = &current->thread.virtual_dr6;

	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	if (*virtual & DR_TRAP_BITS) {
		*virtual &= ~DR_STEP;
		return NOTIFY_DONE;
	}
	*virtual = virtual_before;
	return *dr6 ? NOTIFY_DONE : NOTIFY_STOP;
}

/* #DB. Return: NOTIFY_STOP when there is no other reason for it */
static int on_debug(const struct die_args *args)
{
	unsigned long *dr6 = (unsigned long *)args->err, virtual_before;
	struct softpt_step *step = softpt_step_on_cpu();

	if (!step || !(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	virtual_before = step->trap.dr6;	/* trap() may free the step */
	return trap(step, args->regs) ? hide_step(dr6, virtual_before) : NOTIFY_DONE;
}

/* Any other exception; #UD may be a PTWRITE's */
static int on_exception(const struct die_args *args)
{
	struct softpt_step *step = softpt_step_on_cpu();

	if (!step || !softpt_step_is_stepping(step))
		return NOTIFY_DONE;
	if (args->trapnr != X86_TRAP_UD || !softpt_step_undefined(step, args->regs)) {
		softpt_step_exception(step, args->regs, args->trapnr);
		return NOTIFY_DONE;
	}
	softpt_step_wait(step);
	if (unlikely(step->trap.halt))
		softpt_step_halt(step);
	return NOTIFY_STOP;
}

static int on_die(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;

	if (!user_mode(args->regs))
		return NOTIFY_DONE;
	if (val == DIE_DEBUG)
		return on_debug(args);
	return val == DIE_TRAP ? on_exception(args) : NOTIFY_DONE;
}

struct notifier_block softpt_step_die_notifier = { .notifier_call = on_die };

/* Whether an INT3 of the current task is uprobes': the same question as theirs */
static bool is_probed(void)
{
#ifdef CONFIG_UPROBES
	const struct uprobe_task *utask = current->utask;

	return mm_flags_test(MMF_HAS_UPROBES, current->mm) || (utask && utask->return_instances);
#else
	return false;
#endif
}

/*
 * A uprobe's INT3, in the place of an instruction. TF must be ours no more when uprobes looks at
 * the flags: it would take the program to be stepping itself. What a decoder sees is a hole of one
 * instruction, for the copy that is executed is in no file.
 */
static int on_int3(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;
	struct softpt_step *step;

	if (val != DIE_INT3 || !user_mode(args->regs))
		return NOTIFY_DONE;
	step = softpt_step_on_cpu();
	if (!step || !softpt_step_is_stepping(step))
		return NOTIFY_DONE;
	softpt_step_breakpoint(step, args->regs);
	if (!is_probed())
		return NOTIFY_DONE;
	if (softpt_step_gate(step) && step->flow.enabled && !step->flow.in_kernel) {
		step->clock.cycles++;
		softpt_step_interrupt(step);
	}
	softpt_step_drop_tf(args->regs);
	return NOTIFY_DONE;
}

/* Uprobes has INT_MAX - 1, and ends the chain. */
struct notifier_block softpt_step_int3_notifier = {
	.notifier_call	= on_int3,
	.priority	= INT_MAX,
};
