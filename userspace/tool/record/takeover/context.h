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

/* Flags that no function begins with: TF and DF */
#define CONTEXT_ODD	0x500ull

struct context {
	uint64_t rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

_Static_assert(sizeof(struct context) == SOFTPT_XL_CONTEXT, "as the runtime has it");

void context_of(struct context *c, const struct user_regs_struct *r);
void context_to(struct user_regs_struct *r, const struct context *c);

/*
 * Whether a system call is to begin anew that a stop has interrupted, and no signal: as the kernel
 * does it, and where the kernel does not (epoll_wait() and others) as if no stop had been.
 */
bool context_restarts(const struct user_regs_struct *r);
/* SOFTPT_XL_ENDS and SOFTPT_XL_ENDS_UNLESS of such a call; 0: no signal ends it */
uint64_t context_ends(const struct user_regs_struct *r);
/* Such registers are as if the system call had not been made yet. */
void context_restart(struct user_regs_struct *r);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_CONTEXT_H */
