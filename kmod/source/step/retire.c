// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an instruction of a stepped task did, once it has retired: found from its bytes and from
 * where execution went on.
 *
 * Nothing is reported of code in a segment of the program's own, for its addresses are not linear
 * addresses. But it runs with our TF, so its PUSHF, POPF and IRET are found, too.
 */

#include <linux/ptrace.h>

#include "step.h"
#include "x86/branch.h"
#include "x86/operand.h"

/* PTWRITE changes nothing, so its operand is still what it was. */
static void send_ptwrite(struct softpt_step *step, struct pt_regs *regs, const u8 *code,
			 struct softpt_insn insn, u64 ip)
{
	struct softpt_operand op = softpt_operand_decode(code, insn, step->at.long_mode);
	struct softpt_event ev = { .kind = SOFTPT_EV_PTW, .ip = ip, .flags = SOFTPT_EVF_IP };

	if (softpt_step_operand_read(&op, regs, ip + insn.len, &ev.arg))
		softpt_step_send(step, &ev);
	else
		step->lost++;
}

/* @insn is done, and execution went from @ip to @next. */
static void send_flow(struct softpt_step *step, struct softpt_insn insn, u64 ip, u64 next)
{
	struct softpt_event ev = softpt_branch_event(insn, ip, next);

	if (ev.kind)
		softpt_step_send(step, &ev);
	else if (softpt_insn_ran_on(insn, ip, next))
		step->trap.iterating = next == ip;
	else
		softpt_step_send_transfer(step, SOFTPT_EV_INTR, ip, next, 3);
}

/**
 * softpt_step_retire() - the instruction at @step->at.ip has retired
 * @step: the task
 * @regs: after it
 * @code: the bytes at @step->at.ip
 * @n: how many
 *
 * MOV SS holds back its trap until the instruction behind it has retired, too, as CPUID does on
 * some virtual machines.
 *
 * Context: interrupts off.
 *
 * Return: false, and nothing is done, when @code does not hold all of it.
 */
bool softpt_step_retire(struct softpt_step *step, struct pt_regs *regs, const u8 *code,
			unsigned int n)
{
	unsigned int at = 0, retired = 0;
	u64 next = regs->ip, ip;
	struct softpt_insn insn;

	do {
		ip = step->at.ip + at;
		insn = softpt_insn_classify(code + at, n - at, step->at.long_mode);
		if (insn.kind == SOFTPT_INSN_SHORT)
			return false;
		at += insn.len;
		retired++;
	} while (softpt_insn_holds_trap(insn) && next != ip + insn.len);

	step->clock.cycles += retired;
	softpt_step_tick(step);
	if (unlikely(insn.kind == SOFTPT_INSN_PTWRITE && next == ip + insn.len))
		send_ptwrite(step, regs, code + at - insn.len, insn, ip);
	if (softpt_step_is_flat(regs) && user_64bit_mode(regs) != step->at.long_mode)
		softpt_step_send_mode(step, user_64bit_mode(regs));
	send_flow(step, insn, ip, next);
	softpt_step_count_retired(step, insn, retired,
				  insn.kind != SOFTPT_INSN_JCC || next != ip + insn.len);
	step->at.ip = next;
	step->at.cx = regs->cx;
	softpt_step_after_flags(step, insn, regs);
	if (unlikely(!softpt_step_is_followed(step, regs))) {
		softpt_step_leave(step, regs);
		softpt_step_place(step, regs);
	}
	return true;
}

static struct softpt_insn classify(const struct softpt_step *step, const u8 *code, unsigned int n)
{
	return step->at.apart == 16 ? softpt_insn_classify_16(code, n) :
				   softpt_insn_classify(code, n, false);
}

/**
 * softpt_step_retire_apart() - an instruction that is not followed has retired
 * @step: the task; the instruction is at its @ip
 * @regs: after it
 *
 * Code that cannot be read may have been a PUSHF. Flat code that is not followed is a debugger's
 * (BTF), or a uprobe's.
 *
 * Context: interrupts off.
 */
void softpt_step_retire_apart(struct softpt_step *step, struct pt_regs *regs)
{
	unsigned long next = softpt_step_linear(regs);
	struct softpt_insn insn = { .kind = SOFTPT_INSN_SHORT };
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n, at = 0;

	if (!step->at.apart)
		return;
	if (softpt_step_fetch(step->at.ip, code, &n)) {
		do {
			insn = classify(step, code + at, n - at);
			at += insn.len;
		} while (softpt_insn_holds_trap(insn) && next != step->at.ip + at);
	}
	if (insn.kind == SOFTPT_INSN_SHORT)
		step->trap.leaked = true;
	else
		softpt_step_after_flags(step, insn, regs);
	softpt_step_place(step, regs);
}
