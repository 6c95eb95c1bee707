/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording tells of the signal that ends a stepped thread */
#ifndef SOFTPT_SOURCE_CRASH_H
#define SOFTPT_SOURCE_CRASH_H

#include <sys/types.h>
#include <sys/user.h>

#include <softpt/perf.h>

/**
 * ptrace_crash() - note how a thread is
 * @tid: it has stopped for a signal
 * @signo: with which it will go on
 * @regs: its registers
 * @crash: filled in, but for its time; all zero: the thread is gone
 */
void ptrace_crash(pid_t tid, int signo, const struct user_regs_struct *regs,
		  struct softpt_perf_crash *crash);

#endif /* SOFTPT_SOURCE_CRASH_H */
