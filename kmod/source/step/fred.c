// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stepping where FRED is on: one way into the kernel for all that happens in user mode, with a
 * frame that says what it was, and ERETU as the way back. Most of the step source is the same: #DB
 * comes with DR6 from the frame to the same chain of die notifiers, and user-return notifiers run
 * before ERETU as before IRET. Four things differ.
 *
 *  - Where the frame says that an instruction made the event itself (SYSCALL, SYSENTER, INT n)
 *    and TF is set in its flags, ERETU leaves a trap pending: #DB comes before the next
 *    instruction, as if that of the event had trapped. IRET traps behind the next one, and that
 *    is what stepping goes by. So where TF is ours, that bit of the frame is cleared on the way
 *    back. No other code reads it then.
 *  - A program that set TF itself, and a debugger that steps, get that trap as they do
 *    untraced. No instruction has retired with it.
 *  - SYSCALL leaves R11 alone: what looks like flags there is the program's (is_copied()).
 *  - SYSCALL leaves RCX alone: that a call of number -1 has entered, the frame says (has_called()).
 *
 * Read in the sources of 7.3 (entry_fred.c, start_thread_common(),
 * prevent_single_step_upon_eretu()) and tried in Bochs, which emulates FRED. No processor has been
 * seen: off unless asked for.
 */

#include <linux/module.h>

#include "compat.h"
#include "step.h"

static bool fred;
module_param(fred, bool, 0444);
MODULE_PARM_DESC(fred, "single-step where FRED is on: tried in an emulator, on no processor (N)");

/* Whether it is known how TF traps on this machine */
bool softpt_step_tf_known(void)
{
	if (!softpt_has_fred())
		return softpt_has_idt();
	if (!fred)
		pr_info("softpt: FRED is on: no single-stepping, which was tried on no such processor (fred=1)\n");
	return fred;
}

/**
 * softpt_step_eretu() - ERETU goes back to user mode with TF set
 * @step: the current task's, or its CPU's
 * @regs: of user mode
 * @ours: TF is ours, or was until sigreturn loaded the flags
 *
 * Context: interrupts off, right before ERETU.
 */
void softpt_step_eretu(struct softpt_step *step, struct pt_regs *regs, bool ours)
{
	if (ours)
		softpt_forget_software_event(regs);
	step->trap.early = softpt_is_software_event(regs);
}
