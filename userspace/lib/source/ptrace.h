/* SPDX-License-Identifier: BSD-2-Clause */
/* A program stepped with ptrace, where there is no module: softpt record --no-module */
#ifndef SOFTPT_SOURCE_PTRACE_H
#define SOFTPT_SOURCE_PTRACE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "../../../kmod/x86/operand.h"
#include "sim/sim.h"

/* ---- one thread, as its unit sees it (ptrace.c) ---- */

#define STEPPER_CODE	32	/* bytes: MOV SS and the instruction behind it */

/**
 * struct stepper - a thread that is stepped
 * @sim: its unit
 * @pid: the thread
 * @mem: its /proc/PID/mem
 * @model: the clock is the model's
 * @now: TSC of the last event
 * @cycles: instructions and system calls so far: the model clock
 * @ip: where it goes on in user mode
 * @cx: the count that REP has left
 * @code: the bytes at @ip, read before they are executed
 * @n: how many there are; 0: they can't be read
 * @enabled: TraceEn of the unit
 * @in_kernel: the unit knows that execution left user mode
 * @long_mode: 64-bit mode, as the unit knows it
 * @goes_long: 64-bit mode, as the thread will be at @ip
 * @flat: in the kernel's flat segments, so that @ip is a linear address
 * @iterating: the instruction at @ip has trapped without getting on
 * @owns_tf: the program has set TF itself
 * @err: of the unit's output, latched
 */
struct stepper {
	struct sim *sim;
	pid_t pid;
	int mem;
	bool model;
	uint64_t now;
	uint64_t cycles;
	uint64_t ip;
	uint64_t cx;
	uint8_t code[STEPPER_CODE];
	unsigned int n;
	bool enabled;
	bool in_kernel;
	bool long_mode;
	bool goes_long;
	bool flat;
	bool iterating;
	bool owns_tf;
	int err;
};

/* It has exec'ed: @regs and @mem are the new program's. */
void stepper_exec(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_trap() - an instruction has retired, or a system call is done
 * @regs: after it
 *
 * Return: the system call's number (of the ABI that the program's mode is of), or -1.
 */
long stepper_trap(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_signal() - a signal is about to be delivered
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
 * @regs: at it; behind it, when it was a PTWRITE and is done
 * @fault: an address
 */
enum stepper_undefined stepper_undefined(struct stepper *s, struct user_regs_struct *regs,
					 uint64_t *fault);

/* A handler is about to begin, at @regs. */
void stepper_handler(struct stepper *s, const struct user_regs_struct *regs);

/**
 * stepper_end() - it is stepped no further
 * @called: it is known to be in a system call, if @ip is at one
 */
void stepper_end(struct stepper *s, bool called);

/* ---- what an instruction reads (operand.c) ---- */

enum stepper_read {
	STEPPER_READ,
	STEPPER_FAULT,		/* at @fault */
	STEPPER_UNKNOWN,	/* in a segment that can't be told */
};

/**
 * stepper_operand() - the value of an operand
 * @regs: before or after an instruction that changes none of them
 * @next: the address behind it
 */
enum stepper_read stepper_operand(const struct stepper *s, const struct softpt_operand *op,
				  const struct user_regs_struct *regs, uint64_t next,
				  bool long_mode, uint64_t *value, uint64_t *fault);

/* ---- the command (tool/record/ptrace.c) ---- */

/**
 * struct ptrace_job - what softpt record --no-module was asked for
 * @path: of the recording
 * @argv: the program
 * @cpu: the only one that it may run on, or -1
 * @stats: counts on stderr
 * @cfg: of the unit, judged
 */
struct ptrace_job {
	const char *path;
	char **argv;
	int cpu;
	bool stats;
	struct softpt_config cfg;
};

/* Return: the program's exit status, or EXIT_REFUSED after a message */
int record_ptrace(const struct ptrace_job *job);

#endif /* SOFTPT_SOURCE_PTRACE_H */
