// SPDX-License-Identifier: GPL-2.0-only
/* What an instruction of the current task reads: a register, or memory of its own */

#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/fsgsbase.h>
#include <asm/segment.h>

#include "compat.h"
#include "x86/operand.h"
#include "step.h"

static_assert(SOFTPT_FLAT_DATA == __USER_DS);

static u16 selector_of(u8 segment, const struct pt_regs *regs)
{
	u16 selector;

	switch (segment) {
	case SOFTPT_SEG_CS:
		return regs->cs;
	case SOFTPT_SEG_SS:
		return regs->ss;
	case SOFTPT_SEG_DS:
		savesegment(ds, selector);
		return selector;
	case SOFTPT_SEG_ES:
		savesegment(es, selector);
		return selector;
	case SOFTPT_SEG_FS:
		savesegment(fs, selector);
		return selector;
	}
	savesegment(gs, selector);
	return selector;
}

/* In the kernel the program's base of GS is the one that is swapped out. */
static u64 base_of(u8 segment)
{
	u64 base;

	if (segment == SOFTPT_SEG_FS)
		return x86_fsbase_read_cpu();
	if (segment != SOFTPT_SEG_GS)
		return 0;
	rdmsrq(MSR_KERNEL_GS_BASE, base);
	return base;
}

static void get_state(const struct softpt_operand *op, struct pt_regs *regs, u64 next,
		      struct softpt_operand_state *state)
{
	*state = (struct softpt_operand_state) {
		.reg = {
			regs->ax, regs->cx, regs->dx, regs->bx, regs->sp, regs->bp, regs->si,
			regs->di, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13,
			regs->r14, regs->r15, next,
		},
		.base = base_of(op->segment),
		.selector = selector_of(op->segment, regs),
		.long_mode = user_64bit_mode(regs),
	};
}

/**
 * softpt_step_operand_at() - the linear address of an operand
 * @op: in memory
 * @regs: of user mode
 * @next: the address behind the instruction
 * @address: the answer
 *
 * Context: interrupts off.
 * Return: false when it is in a segment that cannot be told.
 */
bool softpt_step_operand_at(const struct softpt_operand *op, struct pt_regs *regs, u64 next,
			    u64 *address)
{
	struct softpt_operand_state state;

	get_state(op, regs, next, &state);
	return softpt_operand_address(op, &state, address);
}

/**
 * softpt_step_operand_read() - the value of an operand, read without faulting
 * @op: the operand
 * @regs: of user mode
 * @next: the address behind the instruction
 * @value: the answer
 *
 * Context: interrupts off.
 * Return: false when it cannot be read so.
 */
bool softpt_step_operand_read(const struct softpt_operand *op, struct pt_regs *regs, u64 next,
			      u64 *value)
{
	struct softpt_operand_state state;
	u64 address;

	get_state(op, regs, next, &state);
	*value = 0;
	if (op->memory)
		return softpt_operand_address(op, &state, &address) &&
		       !copy_from_user_nofault(value, (void __user *)address, op->size);
	*value = softpt_operand_register(op, &state);
	return true;
}
