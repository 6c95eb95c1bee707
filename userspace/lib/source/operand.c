// SPDX-License-Identifier: BSD-2-Clause
/* What an instruction of a thread under ptrace reads: a register, or the thread's memory */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "source/operand.h"

static uint16_t selector_of(uint8_t segment, const struct user_regs_struct *regs)
{
	switch (segment) {
	case SOFTPT_SEG_ES:
		return regs->es;
	case SOFTPT_SEG_CS:
		return regs->cs;
	case SOFTPT_SEG_SS:
		return regs->ss;
	case SOFTPT_SEG_DS:
		return regs->ds;
	case SOFTPT_SEG_FS:
		return regs->fs;
	}
	return regs->gs;
}

static void get_state(const struct softpt_operand *op, const struct user_regs_struct *regs,
		      uint64_t next, bool long_mode, struct softpt_operand_state *state)
{
	*state = (struct softpt_operand_state){
		.reg = {
			regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp, regs->rsi,
			regs->rdi, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13,
			regs->r14, regs->r15, next,
		},
		.base = op->segment == SOFTPT_SEG_FS ? regs->fs_base : regs->gs_base,
		.selector = selector_of(op->segment, regs),
		.long_mode = long_mode,
	};
}

/* With the rights of the thread's pages, unlike through /proc/PID/mem */
static unsigned int read_as_thread(const struct stepper *s, void *to, uint64_t from, size_t n)
{
	struct iovec mine = { to, n }, theirs = { (void *)(uintptr_t)from, n };
	ssize_t got = process_vm_readv(s->pid, &mine, 1, &theirs, 1, 0);

	if (got < 0 && errno != EFAULT)
		got = pread(s->mem, to, n, from);	/* forbidden by a filter */
	return got < 0 ? 0 : got;
}

enum stepper_read stepper_operand(const struct stepper *s, const struct softpt_operand *op,
				  const struct user_regs_struct *regs, uint64_t next,
				  bool long_mode, uint64_t *value, uint64_t *fault)
{
	struct softpt_operand_state state;
	u64 address;
	unsigned int n;

	get_state(op, regs, next, long_mode, &state);
	*value = 0;
	if (!op->memory) {
		*value = softpt_operand_register(op, &state);
		return STEPPER_READ;
	}
	if (!softpt_operand_address(op, &state, &address))
		return STEPPER_UNKNOWN;
	n = read_as_thread(s, value, address, op->size);
	*fault = address + n;
	return n == op->size ? STEPPER_READ : STEPPER_FAULT;
}
