// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTWRITE on processors that have no such instruction. There it raises #UD, and the chain of die
 * notifiers leads here with interrupts off. Programs that are not traced get SIGILL.
 *
 * Task work does what cannot be done with interrupts off: read a page that is not there, or code
 * that can only be executed, and send signals. If TraceEn has fallen meanwhile, nothing has
 * happened yet: the instruction is executed again, as after any fault. A task that is stepped
 * because its CPU is watched has no task work: it gets SIGILL if the operand is not there yet.
 */

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>

#include "step.h"
#include "user.h"
#include "x86/insn.h"
#include "x86/operand.h"

/* A PTWRITE at the program's IP */
struct ptwrite {
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n;		/* bytes of @code that could be read */
	struct softpt_operand op;
	u64 next;
	u64 address;	/* of @op in memory */
};

/* Return: the instruction's kind; OTHER, too, for one that cannot be emulated */
static u8 decode(struct ptwrite *p, struct pt_regs *regs)
{
	bool long_mode = user_64bit_mode(regs);
	struct softpt_insn insn = softpt_insn_classify(p->code, p->n, long_mode);

	if (insn.kind != SOFTPT_INSN_PTWRITE)
		return insn.kind;
	p->op = softpt_operand_decode(p->code, insn, long_mode);
	p->next = regs->ip + insn.len;
	if (p->op.memory && !softpt_step_operand_at(&p->op, regs, p->next, &p->address))
		return SOFTPT_INSN_OTHER;
	return insn.kind;
}

/* The program's own TF, or a debugger's */
static bool traps(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_TF &&
	       (test_thread_flag(TIF_SINGLESTEP) || !softpt_step_owns_tf());
}

/* A MOV SS before it has retired with it. */
static void retire(struct softpt_step *step, struct pt_regs *regs, struct ptwrite *p)
{
	if (step->at.ip != regs->ip && !softpt_step_fetch(step->at.ip, p->code, &p->n))
		p->n = 0;
	regs->ip = p->next;
	regs->flags &= ~X86_EFLAGS_RF;
	if (!softpt_step_retire(step, regs, p->code, p->n))
		softpt_step_pause(step, regs);
}

static void send_trap(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);

	softpt_step_raise_debug(task_pt_regs(current));
	softpt_step_put(step);
}

/* The operand can be read. */
static bool emulate(struct softpt_step *step, struct pt_regs *regs, struct ptwrite *p)
{
	bool followed;

	local_irq_disable();
	followed = step->flow.enabled && softpt_step_gate(step);
	if (followed)
		retire(step, regs, p);
	local_irq_enable();
	return followed;
}

static void try_again(struct softpt_step *step, struct pt_regs *regs)
{
	struct ptwrite p = { .n = 0 };
	unsigned int left = 0;
	u64 value;
	int n;
	u8 kind;

	n = softpt_read_own(regs->ip, p.code, sizeof(p.code));
	p.n = max(n, 0);
	local_irq_disable();
	kind = decode(&p, regs);
	local_irq_enable();
	if (kind == SOFTPT_INSN_PTWRITE && p.op.memory)
		left = softpt_copy_from_user(&value, (void __user *)p.address, p.op.size);
	if (fatal_signal_pending(current))
		return;
	if (kind != SOFTPT_INSN_PTWRITE)
		softpt_step_raise_undefined(regs);
	else if (left)
		softpt_step_raise_access(p.address, p.op.size, left,
					 p.op.segment == SOFTPT_SEG_SS);
	else if (emulate(step, regs, &p) && traps(regs))
		softpt_step_raise_debug(regs);
}

static void come_back(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);

	if (!(current->flags & PF_EXITING))
		try_again(step, task_pt_regs(current));
	softpt_step_put(step);
}

/**
 * softpt_step_undefined() - the current task's instruction has raised #UD
 * @step: the task's, or its CPU's
 * @regs: of user mode
 *
 * Context: interrupts off, in the exception.
 * Return: whether it was a PTWRITE, and no reason for a signal.
 */
bool softpt_step_undefined(struct softpt_step *step, struct pt_regs *regs)
{
	struct ptwrite p;
	u64 value;
	u8 kind;

	if (!step->flow.enabled || !softpt_step_gate(step))
		return false;
	if (!softpt_step_fetch(regs->ip, p.code, &p.n))
		p.n = 0;
	kind = decode(&p, regs);
	if (kind != SOFTPT_INSN_PTWRITE && kind != SOFTPT_INSN_SHORT)
		return false;
	if (kind == SOFTPT_INSN_SHORT ||
	    !softpt_step_operand_read(&p.op, regs, p.next, &value)) {
		if (step->task)
			softpt_step_defer(step, come_back);
		return step->task;
	}
	retire(step, regs, &p);
	if (traps(regs) && step->task)
		softpt_step_defer(step, send_trap);
	return true;
}
