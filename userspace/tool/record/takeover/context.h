/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's registers, as the runtime keeps them on its stack (userspace/translate/thread.h) */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_CONTEXT_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include <softpt/translate.h>

/* All signals but SIGILL, SIGTRAP, SIGBUS, SIGFPE and SIGSEGV, which the runtime itself needs */
#define CONTEXT_BLOCKED	(~0x4d8ull)

struct context {
	uint64_t rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

_Static_assert(sizeof(struct context) == SOFTPT_XL_CONTEXT, "as the runtime has it");

void context_of(struct context *c, const struct user_regs_struct *r);

/*
 * Whether a system call is to begin anew that a stop has interrupted: as the kernel does it, and
 * where the kernel does not (epoll_wait() and others) as if no stop had been.
 *
 * @signalled: a signal is about to be delivered, and may have interrupted it
 */
bool context_restarts(const struct user_regs_struct *r, bool signalled);
/* Such registers are as if the system call had not been made yet. */
void context_restart(struct user_regs_struct *r, bool signalled);
/* What RAX is to be then, if it was @nr */
uint64_t context_call(const struct user_regs_struct *r, uint64_t nr);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_CONTEXT_H */
