/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of the program, as the runtime sees it. Also for entry.S. */
#ifndef SOFTPT_XL_THREAD_H
#define SOFTPT_XL_THREAD_H

/* Offsets of struct softpt_xl_words, at GS */
#define W_RCX		0
#define W_CURSOR	8
#define W_LINK		16
#define W_TARGET	24
#define W_RSP		32
#define W_JUMP		40
#define W_STACK		48
#define W_SELF		56
#define W_PENDING	64
#define W_SCRATCH	72

#define XL_ABORT	(-1000)		/* of a system call: a signal came first */

#ifndef __ASSEMBLER__

#include <softpt/translate.h>

#include "types.h"

#define STACK_SIZE	(256u << 10)
#define ALT_SIZE	(128u << 10)

/* The program's registers, as entry.S pushes them */
struct context {
	u64 rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

/* As the kernel has it: struct kernel_sigaction, stack_t, struct siginfo */
struct ksigaction {
	u64 handler;
	u64 flags;
	u64 restorer;
	u64 mask;
};

struct altstack {
	u64 sp;
	u32 flags;
	u32 pad;
	u64 size;
};

struct ksiginfo {
	s32 signo;
	s32 error;
	s32 code;
	s32 pad;
	u64 addr;
	u64 rest[13];
};

/**
 * struct thread - what is not in its words
 * @words: at GS
 * @slot: its number
 * @pc: where the dispatcher was to go
 * @mask: blocked signals, as the program has set them
 * @wait_mask: and while sigsuspend() or the like waits
 * @waits: @wait_mask holds for the next signal
 * @held: signals that the kernel has delivered although @mask blocks them
 * @alt: sigaltstack of the program
 * @signo: of the signal that is held while words.pending is set
 * @info: and what the kernel says of it
 * @stepping: single-stepped to where it can be delivered
 * @in_call: a system call was begun and is not told as done
 * @fault_code: of what the runtime could not read: si_code
 * @fault_addr: and where
 * @vforked: a process of its own in this memory
 * @actions: and its signal handlers; NULL: they are those of the program (signal.h)
 * @ended: its records have ended
 * @rooms: memory that is given back when it is gone
 * @left: threads_leave() has interrupted a system call
 * @inside: it executes translations, or is about to
 * @entered: what is at words.target comes next, and no branch has led there
 * @native: it executes the program itself
 * @stays: a breakpoint has led out of that: not back there at once
 * @broke: it was at a function, which was called
 * @handler_rsp: RSP at the begin of the last signal handler
 * @inside_rsp: RSP at the entry of the function whose call is recorded; 0: there is none
 * @undone: the branch that was recorded last has faulted
 * @traced: it has asked to be traced, and is from traced_now() on
 * @trapno: of the program's last fault
 * @err: of that fault
 * @cr2: of that fault
 * @restarts: the system call that restart_syscall() goes on with; 0: there is none
 * @ends: it was taken over in a system call, until that is made anew: SOFTPT_XL_ENDS, ..._UNLESS
 * @rseq: its area of restartable sequences, which is the kernel's again when it is given back
 * @stack: mapping of the runtime's stack, and the alternate one behind it
 * @frame: a copy of what sigreturn() restores
 */
struct thread {
	struct softpt_xl_words *words;
	u32 slot;
	u64 pc;
	u64 mask;
	u64 wait_mask;
	bool waits;
	u64 held;
	struct altstack alt;
	u32 signo;
	struct ksiginfo info;
	bool stepping;
	bool in_call;
	u32 fault_code;
	u64 fault_addr;
	bool vforked;
	struct ksigaction *actions;
	bool ended;
	struct {
		u64 at, size;
	} rooms[2];
	bool left;
	bool inside;
	bool entered;
	bool native;
	bool stays;
	bool broke;
	u64 handler_rsp;
	u64 inside_rsp;
	bool undone;
	bool traced;
	u64 trapno;
	u64 err;
	u64 cr2;
	u32 restarts;
	u64 ends;
	struct {
		u64 at;
		u32 size, signature;
	} rseq;
	u64 stack;
	u64 frame[40];
};

/* The caller's */
static inline struct thread *current(void)
{
	struct thread *t;

	asm("mov %%gs:%c1, %0" : "=r"(t) : "i"(W_SELF));
	return t;
}

#endif /* __ASSEMBLER__ */
#endif /* SOFTPT_XL_THREAD_H */
