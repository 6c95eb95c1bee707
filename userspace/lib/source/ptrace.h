/* SPDX-License-Identifier: BSD-2-Clause */
/* A program stepped with ptrace, where there is no module */
#ifndef SOFTPT_SOURCE_PTRACE_H
#define SOFTPT_SOURCE_PTRACE_H

#include <sys/user.h>

#include "source/stepper.h"

/* It has exec'ed: @regs and @mem are the new program's. */
void stepper_exec(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_trap() - an instruction has retired, or a system call is done
 * @s: the thread
 * @regs: after it
 *
 * Return: the system call's number (of the ABI that the program's mode is of), or -1.
 */
long stepper_trap(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_signal() - a signal is about to be delivered
 * @s: the thread
 * @regs: of user mode, where the signal finds it
 */
void stepper_signal(struct stepper *s, const struct user_regs_struct *regs);

enum stepper_undefined {
	STEPPER_ILLEGAL,	/* no PTWRITE */
	STEPPER_DONE,		/* @regs are behind it */
	STEPPER_FAULTED,	/* its operand can't be read, at @fault */
};

/**
 * stepper_undefined() - the processor does not know the instruction
 * @s: the thread
 * @regs: at it; behind it, when it was a PTWRITE and is done
 * @fault: an address
 */
enum stepper_undefined stepper_undefined(struct stepper *s, struct user_regs_struct *regs,
					 uint64_t *fault);

/* A handler is about to begin, at @regs. */
void stepper_handler(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_end() - it is stepped no further
 * @s: the thread
 * @called: it is known to be in a system call, if @ip is at one
 */
void stepper_end(struct stepper *s, bool called);

#endif /* SOFTPT_SOURCE_PTRACE_H */
