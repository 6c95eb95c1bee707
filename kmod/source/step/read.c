// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program's registers and memory say, read without faulting: where its code, its stack and
 * an operand are, and the bytes there.
 *
 * In a segment of the program's own (of its LDT, and for a stack of its TLS) an offset is not a
 * linear address. x86-64 has no vm86: there is no other code than 16-, 32- and 64-bit.
 */

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/desc.h>
#include <asm/fsgsbase.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#include "compat.h"
#include "step.h"
#include "x86/insn.h"
#include "x86/operand.h"

static const struct desc_struct *ldt_entry(unsigned int index)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	/* Valid with interrupts off: who installs another waits for each CPU, and frees it then */
	const struct ldt_struct *ldt = READ_ONCE(current->mm->context.ldt);

	if (ldt && index < ldt->nr_entries)
		return &ldt->entries[index];
#endif
	return NULL;
}

/* Return: NULL: a segment of the kernel's, which is flat */
static const struct desc_struct *find(unsigned int selector)
{
	unsigned int index = selector >> 3;

	if (selector & SEGMENT_TI_MASK)
		return ldt_entry(index);
	if (index >= GDT_ENTRY_TLS_MIN && index <= GDT_ENTRY_TLS_MAX)
		return &current->thread.tls_array[index - GDT_ENTRY_TLS_MIN];
	return NULL;
}

/* Whether the program's IP is a linear address: its code segment is none of its own. */
bool softpt_step_is_flat(const struct pt_regs *regs)
{
	return regs->cs == __USER_CS || regs->cs == __USER32_CS;
}

/**
 * softpt_step_linear() - where the program is
 * @regs: of user mode
 *
 * Context: interrupts off.
 */
unsigned long softpt_step_linear(const struct pt_regs *regs)
{
	const struct desc_struct *desc;

	if (likely(softpt_step_is_flat(regs)))
		return regs->ip;
	desc = find(regs->cs);
	return (u32)(regs->ip + (desc ? get_desc_base(desc) : 0));
}

/**
 * softpt_step_stack() - where the top of the program's stack is
 * @regs: of user mode
 *
 * Context: interrupts off.
 */
unsigned long softpt_step_stack(struct pt_regs *regs)
{
	const struct desc_struct *desc;

	if (user_64bit_mode(regs))
		return regs->sp;
	desc = find(regs->ss);
	if (!desc)
		return (u32)regs->sp;
	return (u32)(get_desc_base(desc) + (desc->d ? (u32)regs->sp : (u16)regs->sp));
}

/**
 * softpt_step_place() - note where the program goes on: @step->at
 * @step: the task
 * @regs: of user mode
 *
 * Context: interrupts off.
 */
void softpt_step_place(struct softpt_step *step, const struct pt_regs *regs)
{
	const struct desc_struct *desc;

	step->at.ip = softpt_step_linear(regs);
	step->at.apart = 0;
	if (likely(softpt_step_is_flat(regs)))
		return;
	desc = find(regs->cs);
	step->at.apart = desc && !desc->d ? 16 : 32;
}

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
 * Return: false when the base of its segment is not known.
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
