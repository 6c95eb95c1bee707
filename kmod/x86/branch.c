// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions of user mode as events */

#include "branch.h"

/* A way into the kernel is no branch here: the program does not say where execution goes on. */
static const u16 event_of[] = {
	[SOFTPT_INSN_JCC]	= SOFTPT_EV_JCC,
	[SOFTPT_INSN_JMP]	= SOFTPT_EV_JMP,
	[SOFTPT_INSN_CALL]	= SOFTPT_EV_CALL,
	[SOFTPT_INSN_IJMP]	= SOFTPT_EV_IJMP,
	[SOFTPT_INSN_ICALL]	= SOFTPT_EV_ICALL,
	[SOFTPT_INSN_RET]	= SOFTPT_EV_RET,
	[SOFTPT_INSN_FAR]	= SOFTPT_EV_FAR,
	[SOFTPT_INSN_IRET]	= SOFTPT_EV_FAR,
	[SOFTPT_INSN_SHORT]	= SOFTPT_EV_IDLE,
};

/**
 * softpt_branch_event() - the event of a branch that has retired
 * @insn: the instruction, as softpt_insn_classify() has it
 * @ip: its address
 * @next: where execution went on, in user mode
 *
 * Return: the event, whose time is not set; its kind is SOFTPT_EV_IDLE if @insn is no branch, or a
 * way into the kernel.
 */
struct softpt_event softpt_branch_event(struct softpt_insn insn, u64 ip, u64 next)
{
	struct softpt_event ev = {
		.kind = event_of[insn.kind], .ip = ip, .target = next, .len = insn.len, .cpl = 3,
	};

	if (insn.kind == SOFTPT_INSN_JCC) {
		ev.flags = SOFTPT_EVF_TARGET;
		if (next != ip + insn.len)
			ev.flags |= SOFTPT_EVF_TAKEN;
	}
	return ev;
}

/**
 * softpt_insn_ran_on() - whether execution got to the next instruction without a branch
 * @insn: no branch, as softpt_insn_classify() has it
 * @ip: its address
 * @next: where execution went on: @ip for another iteration of REP
 *
 * The length of most instructions is not known, so it takes any that an instruction may have.
 *
 * Return: false when execution was diverted: by a signal, an exception or the abort of a
 * transaction.
 */
bool softpt_insn_ran_on(struct softpt_insn insn, u64 ip, u64 next)
{
	if (insn.kind == SOFTPT_INSN_XBEGIN)
		return next == ip + insn.len;
	return next - ip <= SOFTPT_INSN_MAX;
}
