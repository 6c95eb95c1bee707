// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose TF it is, by the kernel's rule for debuggers: with TIF_FORCED_TF, TF was forced on the
 * program, and ptrace hides it; without, the program (or its debugger) set TF itself and gets its
 * SIGTRAPs. A debugger that steps has TIF_SINGLESTEP besides, and TF is left to the debugger then.
 *
 * The program finds its flags in what PUSHF pushes, in R11 after SYSCALL and in the frames of
 * signals: our TF is taken out of all three.
 */

#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>

#include "compat.h"
#include "step.h"
#include "user.h"
#include "x86/insn.h"

#define TF	X86_EFLAGS_TF

#define INSN_SYSCALL	2	/* bytes */

/* Whether TF, if it is set, was not set by the program. A debugger may be the one who did. */
bool softpt_step_owns_tf(void)
{
	return test_thread_flag(TIF_FORCED_TF);
}

/**
 * softpt_step_arm_tf() - the next instruction in user mode traps
 * @regs: of the task's user mode
 * @sigreturn: the flags came from a signal's frame
 *
 * Context: interrupts off.
 * Return: whether TF is ours alone, or was until sigreturn loaded the flags.
 */
bool softpt_step_arm_tf(struct pt_regs *regs, bool sigreturn)
{
	bool ours = !(regs->flags & TF) ||
		    (softpt_step_owns_tf() && !test_thread_flag(TIF_SINGLESTEP));

	if (!(regs->flags & TF)) {
		regs->flags |= TF;
		if (!test_thread_flag(TIF_FORCED_TF))
			set_thread_flag(TIF_FORCED_TF);
	} else if (sigreturn) {
		softpt_step_flags_loaded(regs);
	}
	return ours;
}

/* Take our TF from the current task: no trap of ours comes any more. */
void softpt_step_drop_tf(struct pt_regs *regs)
{
	if (test_thread_flag(TIF_SINGLESTEP) || !test_thread_flag(TIF_FORCED_TF))
		return;
	softpt_step_hide_tf(regs);
	clear_thread_flag(TIF_FORCED_TF);
}

/*
 * Whether R11 holds a copy of the flags. SYSCALL copies the flags to R11, and in 64-bit mode IP to
 * RCX; IP may be set back by now to call again. The other ways into the kernel keep R11. The system
 * call's number may be any, -1, too.
 */
static bool is_copied(struct pt_regs *regs)
{
	unsigned long differ = (regs->r11 ^ regs->flags) & ~(TF | X86_EFLAGS_RF);

	if (softpt_has_fred() || !(regs->r11 & TF) || differ)
		return false;	/* with FRED nothing is copied */
	if (!user_64bit_mode(regs))
		return regs->orig_ax != -1;
	return regs->cx == regs->ip || regs->cx == regs->ip + INSN_SYSCALL;
}

static void hide_copy(struct pt_regs *regs)
{
	if (is_copied(regs))
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
 * A debugger that steps finds its own TF there, with us or without.
 */
void softpt_step_hide_copied(struct pt_regs *regs)
{
	if (softpt_step_owns_tf() && !test_thread_flag(TIF_SINGLESTEP))
		hide_copy(regs);
}

/* The program loaded the flags itself: TF in them is its own. */
void softpt_step_flags_loaded(struct pt_regs *regs)
{
	if ((regs->flags & TF) && !test_thread_flag(TIF_SINGLESTEP))
		clear_thread_flag(TIF_FORCED_TF);
}

/* What PUSHF has pushed, and nobody has changed meanwhile: the flags, with our TF */
static bool is_image(const struct pt_regs *regs, u64 image, u8 size)
{
	unsigned long mask = size == 2 ? 0xffff : 0xffffffff;

	return image & TF &&
	       !((image ^ regs->flags) & mask & ~(X86_EFLAGS_RF | X86_EFLAGS_VM));
}

/* Return: false when our TF may still be in what was pushed. */
static bool hide_pushed(const struct pt_regs *regs, unsigned long top, u8 size)
{
	u64 image = 0;

	if (copy_from_user_nofault(&image, (void __user *)top, size))
		return false;
	if (!is_image(regs, image, size))
		return true;
	image &= ~(u64)TF;
	return !copy_to_user_nofault((void __user *)top, &image, size);
}

/**
 * softpt_step_hide_late() - take our TF out of what PUSHF has pushed, where a trap could not
 * @step: the current task's, and @pushed is set
 *
 * Another thread forked, or the page was taken away, right behind the PUSHF. If the memory is gone,
 * so is the image. If it is there and cannot be written, not even as by a debugger, the image stays
 * (@trap.leaked).
 *
 * Context: may sleep.
 */
void softpt_step_hide_late(struct softpt_step *step)
{
	unsigned long top = step->trap.pushed;
	u8 size = step->trap.pushed_size;
	u64 image = 0;

	step->trap.pushed = 0;
	if (softpt_read_own(top, &image, size) != size ||
	    !is_image(task_pt_regs(current), image, size))
		return;
	image &= ~(u64)TF;
	if (softpt_write_own(top, &image, size) != size)
		step->trap.leaked = true;
}

static void hide_late(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);

	softpt_step_hide_late(step);
	softpt_step_put(step);
}

/* A CPU's step has no task work that could do it late. */
static void hide_pushed_or_late(struct softpt_step *step, struct pt_regs *regs, u8 size)
{
	unsigned long top = softpt_step_stack(regs);

	if (likely(hide_pushed(regs, top, size)) || !step->task)
		return;
	step->trap.pushed = top;
	step->trap.pushed_size = size;
	if (!step->trap.deferred && !softpt_step_defer(step, hide_late))
		step->trap.pushed = 0;	/* the task exits */
}

/**
 * softpt_step_after_flags() - an instruction may have pushed or loaded the flags
 * @step: the current task's, or its CPU's
 * @insn: the instruction, which has retired
 * @regs: after it
 *
 * Context: interrupts off.
 */
void softpt_step_after_flags(struct softpt_step *step, struct softpt_insn insn,
			     struct pt_regs *regs)
{
	if (insn.kind == SOFTPT_INSN_PUSHF && softpt_step_owns_tf())
		hide_pushed_or_late(step, regs, insn.size);
	else if (insn.kind == SOFTPT_INSN_POPF || insn.kind == SOFTPT_INSN_IRET)
		softpt_step_flags_loaded(regs);
}
