/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls in a process whose threads have all stopped: by one of them, which is as it was then */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_REMOTE_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_REMOTE_H

#include "traced.h"

/**
 * struct remote - the thread that makes the calls
 * @p: its process
 * @t: the thread: no signal is delivered to it meanwhile
 * @regs: its registers
 * @mask: its mask of signals
 * @syscall: an instruction SYSCALL
 * @stack: where functions are called; 0: none is
 * @done: where functions return to: behind an INT3
 * @failed: where they end without success: behind another
 * @why: of the function that has failed
 */
struct remote {
	struct traced *p;
	struct traced_thread *t;
	struct user_regs_struct regs;
	uint64_t mask;
	uint64_t syscall;
	uint64_t stack;
	uint64_t done;
	uint64_t failed;
	char why[128];
};

/* Return: 0 or -errno */
int remote_begin(struct remote *r, struct traced *p, struct traced_thread *t);
/* The thread is as it was. */
void remote_end(struct remote *r);
/* Return: what the system call says, or -errno */
long remote_syscall(struct remote *r, long nr, const uint64_t args[6]);
/* Return: 0, with what the function at @at says in @ret, or -errno; -EPROTO: @why says why */
int remote_call(struct remote *r, uint64_t at, const uint64_t args[6], uint64_t *ret);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_REMOTE_H */
