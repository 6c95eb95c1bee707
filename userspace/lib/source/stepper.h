/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that is stepped with ptrace */
#ifndef SOFTPT_SOURCE_STEPPER_H
#define SOFTPT_SOURCE_STEPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sim;

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

#endif /* SOFTPT_SOURCE_STEPPER_H */
