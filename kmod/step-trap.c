// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trap after each instruction of a stepped task (#DB with DR6.BS), taken from the
 * kernel's chain of die notifiers: interrupts are off, and the task is on its own
 * stack. This is the hot path: read 15 bytes, classify, tell the unit.
 */

#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/debugreg.h>

#include "insn.h"
#include "step.h"

/**
 * softpt_step_fetch() - read an instruction without faulting
 * @ip: its address
 * @code: SOFTPT_INSN_MAX bytes
 * @n: how many could be read: fewer where the next page cannot be
 *
 * It has just been executed, so its pages are there, but for two cases: it may not
 * be readable, or was reclaimed in between.
 *
 * Return: false when nothing could be read.
 */
bool softpt_step_fetch(unsigned long ip, u8 *code, unsigned int *n)
{
	unsigned int here = min_t(unsigned long, SOFTPT_INSN_MAX, PAGE_SIZE - offset_in_page(ip));

	*n = SOFTPT_INSN_MAX;
	if (likely(here == SOFTPT_INSN_MAX))
		return !copy_from_user_nofault(code, (void __user *)ip, SOFTPT_INSN_MAX);
	if (copy_from_user_nofault(code, (void __user *)ip, here))
		return false;
	if (copy_from_user_nofault(code + here, (void __user *)(ip + here), *n - here))
		*n = here;
	return true;
}

/*
 * REP traps once per iteration. On some processors, and under TCG, one trap more
 * finds the count used up: that one is no cycle of its own.
 *
 * Return: true when this trap was another iteration.
 */
static bool iterate(struct softpt_step *step, const struct pt_regs *regs)
{
	if (regs->ip == step->ip) {
		step->cycles++;
		step->cx = regs->cx;
		return true;
	}
	step->iterating = false;
	if (!step->cx)
		step->cycles--;
	return false;
}

/*
 * Before the task returns to user mode or gets a signal: read what the trap could
 * not, as a debugger would. If that fails too, the trace has a hole of one instruction
 * that it tells of: FUP and TIP.PGD before it, TIP.PGE behind it.
 */
static void read_deferred(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);
	struct pt_regs *regs = task_pt_regs(current);
	u8 code[SOFTPT_INSN_MAX];
	int n = 0;

	if (step->deferred)
		n = access_process_vm(current, step->ip, code, sizeof(code), FOLL_FORCE);
	local_irq_disable();
	if (step->deferred && !softpt_step_retire(step, regs, code, max(n, 0)))
		softpt_step_pause(step, regs);
	step->deferred = false;
	local_irq_enable();
	softpt_step_put(step);
}

static void defer(struct softpt_step *step)
{
	init_task_work(&step->work, read_deferred);
	kref_get(&step->ref);
	step->deferred = !task_work_add(current, &step->work, TWA_RESUME);
	if (!step->deferred)
		softpt_step_put(step);	/* the task is exiting */
}

static void retire(struct softpt_step *step, struct pt_regs *regs)
{
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n;

	if (unlikely(!step->enabled))
		return;
	if (step->iterating && iterate(step, regs))
		return;
	if (unlikely(!softpt_step_fetch(step->ip, code, &n) ||
		     !softpt_step_retire(step, regs, code, n)))
		defer(step);
}

/* Return: whether the trap is ours alone. */
static bool trap(struct softpt_step *step, struct pt_regs *regs)
{
	bool ours = softpt_step_owns_tf() && !test_thread_flag(TIF_SINGLESTEP);

	if (!step->stepping)
		return false;
	if (likely(softpt_step_session(step))) {
		retire(step, regs);
	} else {
		/* An image of our TF that was left behind came back. */
		if (step->leaked && !test_thread_flag(TIF_SINGLESTEP)) {
			regs->flags &= ~X86_EFLAGS_TF;
			ours = true;
		}
		softpt_step_bury(step, regs);
	}
	return ours;
}

static int on_die(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;
	unsigned long *dr6;
	struct softpt_step *step;

	if (val != DIE_DEBUG || !user_mode(args->regs))
		return NOTIFY_DONE;
	dr6 = (unsigned long *)args->err;
	step = softpt_step_mine();
	if (!step || !(*dr6 & DR_STEP) || !trap(step, args->regs))
		return NOTIFY_DONE;
	*dr6 &= ~DR_STEP;
	current->thread.virtual_dr6 &= ~DR_STEP;
	return *dr6 ? NOTIFY_DONE : NOTIFY_STOP;
}

struct notifier_block softpt_step_die_notifier = { .notifier_call = on_die };
