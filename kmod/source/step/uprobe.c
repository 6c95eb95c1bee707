// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uprobes in a stepped task. The kernel puts INT3 in the place of the instruction, and
 * then emulates that, or has the task execute a copy in a page of slots, with TF. A
 * function that has a uretprobe returns to the first of the slots.
 *
 * TF must be ours no more when uprobes looks at the flags: it would take the program to be
 * stepping itself. What a decoder sees is a hole of one instruction, for the slots are in
 * no file.
 */

#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uprobes.h>

#include "compat.h"
#include "step.h"

#ifdef CONFIG_UPROBES

#define RET_POPS	64	/* bytes, with those that it releases */

/* Whether an INT3 of the current task is uprobes': the same question as theirs */
static bool is_probed(void)
{
	const struct uprobe_task *utask = current->utask;

	return mm_flags_test(MMF_HAS_UPROBES, current->mm) || (utask && utask->return_instances);
}

/* The first slot: RET has just taken its address from where the function's own had been. */
static bool is_trampoline(const struct return_instance *ri, const struct pt_regs *regs)
{
	return ri && !offset_in_page(regs->ip) && regs->sp - ri->stack - 1 < RET_POPS;
}

/**
 * softpt_step_in_slots() - whether the next instruction of the current task is uprobes'
 * @step: the task
 * @regs: of its user mode
 *
 * The page of slots is met by way of its first instruction or of a copy, and stays where
 * it is until the task execs.
 */
bool softpt_step_in_slots(struct softpt_step *step, const struct pt_regs *regs)
{
	const struct uprobe_task *utask = current->utask;
	unsigned long page = regs->ip & PAGE_MASK;

	if (likely(!utask))
		return false;
	if (utask->active_uprobe || is_trampoline(utask->return_instances, regs))
		step->slots = page;
	return page == step->slots;
}

#else

static bool is_probed(void)
{
	return false;
}

bool softpt_step_in_slots(struct softpt_step *step, const struct pt_regs *regs)
{
	return false;
}

#endif

static int on_int3(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;
	struct softpt_step *step = softpt_step_here();

	if (val != DIE_INT3 || !user_mode(args->regs) || !step || !step->stepping || !is_probed())
		return NOTIFY_DONE;
	if (softpt_step_gate(step) && step->enabled && !step->in_kernel) {
		step->cycles++;
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
