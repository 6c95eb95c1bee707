/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel puts on the stack for a signal handler */
#ifndef SOFTPT_XL_FRAME_H
#define SOFTPT_XL_FRAME_H

#include "../thread.h"

/* As the kernel has it: struct ucontext with its struct sigcontext */
struct frame {
	u64 flags;
	u64 link;
	struct altstack alt;
	u64 r8, r9, r10, r11, r12, r13, r14, r15;
	u64 rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
	u64 eflags;
	u64 segments;
	u64 err, trapno, oldmask, cr2;
	u64 fpstate;
	u64 reserved[8];
	u64 mask;
};

#endif /* SOFTPT_XL_FRAME_H */
