/* SPDX-License-Identifier: BSD-2-Clause */
/* What system calls cost, by their numbers */
#ifndef SOFTPT_REPORT_SYSCALLS_H
#define SOFTPT_REPORT_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "report/span.h"
#include "report/spread.h"

/* The rows that it is made of */
#define REPORT_SYSCALL_ROWS \
	(1u << SOFTPT_FLOW_SYSCALL | 1u << SOFTPT_FLOW_KERNEL | 1u << SOFTPT_FLOW_SWITCH_IN | \
	 1u << SOFTPT_FLOW_OFF | 1u << SOFTPT_FLOW_OVERFLOW | 1u << SOFTPT_FLOW_LOST)

#define REPORT_NO_NUMBER	UINT32_MAX	/* of a call whose number is not known */

/**
 * struct report_syscall - all system calls of a number
 * @number: or REPORT_NO_NUMBER
 * @calls: how often it was called
 * @time: from the calls to where the threads were in user mode again
 * @wait: of @time, without a CPU
 * @ticks: durations of each call that came back
 * @low: lower bounds of these
 * @high: upper bounds of these, UINT64_MAX: unknown
 */
struct report_syscall {
	uint32_t number;
	uint64_t calls;
	struct report_span time;
	struct report_span wait;
	struct spread ticks;
	struct spread low;
	struct spread high;
};

struct report_syscalls;

/*
 * None yet. @tid: the thread that is looked at, 0: all of them. Calls are those that rows of
 * SOFTPT_FLOW_SYSCALL tell, if there are any; else those that came back, by the code that made
 * them.
 * Return: NULL without memory.
 */
struct report_syscalls *report_syscalls_new(uint32_t tid);

/* Take the next row of a walk. Return: false without memory: the walk may end */
bool report_syscalls_take(struct report_syscalls *s, const struct softpt_flow_row *row);

size_t report_syscalls_count(const struct report_syscalls *s);
/* In the order in which they came */
const struct report_syscall *report_syscall(const struct report_syscalls *s, size_t i);
void report_syscalls_free(struct report_syscalls *s);

/* What the kernel worked */
void report_syscall_kernel(const struct report_syscall *call, struct report_span *kernel);

#endif /* SOFTPT_REPORT_SYSCALLS_H */
