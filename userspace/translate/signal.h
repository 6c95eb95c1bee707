/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: all handlers are the runtime's (signal.c); the program's system calls (sigcalls.c) */
#ifndef SOFTPT_XL_SIGNAL_H
#define SOFTPT_XL_SIGNAL_H

#include "thread.h"

#define SIGNALS		64
#define BIT_OF(sig)	(1ull << ((sig) - 1))

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

/* Handlers of the program, and of the runtime in their place */
void signal_init(struct thread *t);
/* The same in a process that has handlers already, and back */
void signal_take_over(void);
void signal_give_back(void);
/* A thread's alternate stack in such a process, and back */
void signal_take_alt_stack(struct thread *t);
void signal_give_alt_stack(const struct thread *t);
/* The runtime's own alternate stack, for the calling thread */
void signal_use_alt_stack(const struct thread *t);
/* For what must not be interrupted: faults of the runtime's own still come. */
void signal_block_all(void);
/* And these do not, either: the program's alternate stack is in use. */
void signal_block_faults(void);
/* The program's mask holds again. */
void signal_unblock(const struct thread *t);
/*
 * A signal that the runtime has found, as a fault of the program at thread.pc.
 *
 * Return: where the dispatcher is to go
 */
u64 signal_fault(struct thread *t, u32 signo, s32 code, u64 addr);
/* Signals that were held although the program blocks them: those that it does not any more */
void signal_held_again(struct thread *t);
/* In the child of a fork() */
void signal_forked(void);

/* ---- shared with sigcalls.c ---- */

extern struct ksigaction signal_actions[SIGNALS + 1];
extern struct lock signal_lock;

/* Those of @t, and signal_actions[] but for the process of a vfork() */
struct ksigaction *signal_actions_of(const struct thread *t);
/* The kernel gets the runtime's handler, or none, for what the program has said: @a. */
void signal_install(u32 signo, const struct ksigaction *a);
bool signal_on_alt_stack(const struct thread *t, u64 sp);
/* sigaltstack()'s flags, with the stack pointer at @sp */
u32 signal_alt_flags(const struct thread *t, u64 sp);
/* Never blocked in the kernel; never blocked at all */
u64 signal_kernel_mask(u64 mask);
u64 signal_program_mask(u64 mask);

long sigcall_action(long signo, u64 act, u64 old, long size);
long sigcall_mask(struct thread *t, long how, u64 set, u64 old, long size);
long sigcall_alt_stack(struct thread *t, u64 alt, u64 old);
long sigcall_return(struct thread *t);

#endif /* SOFTPT_XL_SIGNAL_H */
