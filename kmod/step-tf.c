// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose TF it is. The kernel's own rule for debuggers is ours too: TF that
 * TIF_FORCED_TF goes with was forced on the program, and ptrace hides it; without, the
 * program (or its debugger) set it itself and gets its SIGTRAPs. A debugger that steps
 * has TIF_SINGLESTEP besides, and TF is then left to it.
 *
 * The program sees flags in what PUSHF pushes, in R11 after SYSCALL and in the
 * frames of signals: our TF is taken out of all three.
 */

#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>

#include "step.h"

#define TF	X86_EFLAGS_TF

bool softpt_step_owns_tf(void)
{
	return test_thread_flag(TIF_FORCED_TF);
}

/**
 * softpt_step_arm_tf() - the next instruction in user mode traps
 * @regs: of the task's user mode
 * @sigreturn: the flags came from a signal's frame
 */
void softpt_step_arm_tf(struct pt_regs *regs, bool sigreturn)
{
	if (!(regs->flags & TF)) {
		regs->flags |= TF;
		if (!test_thread_flag(TIF_FORCED_TF))
			set_thread_flag(TIF_FORCED_TF);
	} else if (sigreturn) {
		softpt_step_flags_loaded(regs);
	}
}

/* No trap of ours comes any more. */
void softpt_step_drop_tf(struct pt_regs *regs)
{
	if (test_thread_flag(TIF_SINGLESTEP) || !test_thread_flag(TIF_FORCED_TF))
		return;
	softpt_step_hide_tf(regs);
	clear_thread_flag(TIF_FORCED_TF);
}

/*
 * SYSCALL copies the flags to R11. The other ways into the kernel keep R11, so take
 * it for a copy only if it is one.
 */
static void hide_copy(struct pt_regs *regs)
{
	unsigned long differ = (regs->r11 ^ regs->flags) & ~(TF | X86_EFLAGS_RF);

	if (regs->orig_ax != -1 && (regs->r11 & TF) && !differ)
		regs->r11 &= ~TF;
}

/**
 * softpt_step_hide_tf() - take our TF out of a task's registers
 * @regs: of a system call, or of a task that gets a signal
 */
void softpt_step_hide_tf(struct pt_regs *regs)
{
	hide_copy(regs);
	regs->flags &= ~TF;
}

/**
 * softpt_step_hide_copied() - take our TF out of R11
 * @regs: of the task's user mode
 *
 * A debugger that steps sees its own there, with us or without.
 */
void softpt_step_hide_copied(struct pt_regs *regs)
{
	if (regs->orig_ax != -1 && softpt_step_owns_tf() && !test_thread_flag(TIF_SINGLESTEP))
		hide_copy(regs);
}

/* The program loaded the flags itself: TF in them is its own. */
void softpt_step_flags_loaded(struct pt_regs *regs)
{
	if ((regs->flags & TF) && !test_thread_flag(TIF_SINGLESTEP))
		clear_thread_flag(TIF_FORCED_TF);
}

/**
 * softpt_step_hide_pushed() - take our TF out of what PUSHF has pushed
 * @regs: right after the PUSHF
 * @size: bytes pushed
 *
 * With a stack segment of its own the program's stack may be elsewhere: what does
 * not look like the flags is left alone.
 *
 * Return: false when the program can see our TF.
 */
bool softpt_step_hide_pushed(const struct pt_regs *regs, u8 size)
{
	unsigned long mask = size == 2 ? 0xffff : 0xffffffff;
	void __user *top = (void __user *)regs->sp;
	u64 image = 0;

	if (copy_from_user_nofault(&image, top, size))
		return false;
	if (((image ^ regs->flags) & mask & ~(X86_EFLAGS_RF | X86_EFLAGS_VM)) || !(image & TF))
		return false;
	image &= ~(u64)TF;
	return !copy_to_user_nofault(top, &image, size);
}
