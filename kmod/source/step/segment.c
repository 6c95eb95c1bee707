// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code and stacks in segments of the program's own: those of its LDT, and for a stack those of
 * its TLS. Nothing of such code is told, for its addresses are no linear ones; but it runs with
 * our TF, and PUSHF, POPF and IRET are told apart as ever.
 *
 * x86-64 has no vm86: there is no other code than 16-, 32- and 64-bit.
 */

#include <linux/sched.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#include "x86/insn.h"
#include "step.h"

static const struct desc_struct *ldt_entry(unsigned int index)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	/* With interrupts off: whoever installs another waits for each CPU before this one goes */
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

/* In a segment of its own the program's IP is not a linear address. */
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
 * softpt_step_place() - where the program goes on, and nobody follows it
 * @step: the task
 * @regs: of user mode
 *
 * Context: interrupts off.
 */
void softpt_step_place(struct softpt_step *step, const struct pt_regs *regs)
{
	const struct desc_struct *desc;

	step->ip = softpt_step_linear(regs);
	step->apart = 0;
	if (likely(softpt_step_is_flat(regs)))
		return;
	desc = find(regs->cs);
	step->apart = desc && !desc->d ? 16 : 32;
}

static struct softpt_insn classify(const struct softpt_step *step, const u8 *code, unsigned int n)
{
	return step->apart == 16 ? softpt_insn_classify_16(code, n) :
				   softpt_insn_classify(code, n, false);
}

/**
 * softpt_step_retire_apart() - an instruction that nobody follows has retired
 * @step: the task; the instruction is at its @ip
 * @regs: after it
 *
 * What cannot be read may have been anything. Flat code that is not followed is a debugger's, or
 * a uprobe's.
 *
 * Context: interrupts off.
 */
void softpt_step_retire_apart(struct softpt_step *step, struct pt_regs *regs)
{
	unsigned long next = softpt_step_linear(regs);
	struct softpt_insn insn = { .kind = SOFTPT_INSN_SHORT };
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n, at = 0;

	if (!step->apart)
		return;
	if (softpt_step_fetch(step->ip, code, &n)) {
		do {
			insn = classify(step, code + at, n - at);
			at += insn.len;
		} while (insn.kind == SOFTPT_INSN_MOVSS && next != step->ip + at);
	}
	if (insn.kind == SOFTPT_INSN_SHORT)
		step->leaked = true;
	else
		softpt_step_after_flags(step, insn, regs);
	softpt_step_place(step, regs);
}
