/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel is told for the program: signal handlers, masks and alternate stacks */
#ifndef SOFTPT_XL_HANDLERS_H
#define SOFTPT_XL_HANDLERS_H

#include "../thread.h"

#define SIGNALS		64
#define BIT_OF(sig)	(1ull << ((sig) - 1))

/* ---- handlers ---- */

/* The runtime's in place of those that the process has */
void signal_take_over(void);
/* And back */
void signal_give_back(void);
/* Of a program that begins, with its mask */
void signal_init(struct thread *t);
/* In the child of a fork() */
void signal_forked(void);

extern struct ksigaction signal_actions[SIGNALS + 1];
extern struct lock signal_lock;

/* Those of @t, and signal_actions[] but for the process of a vfork() */
struct ksigaction *signal_actions_of(const struct thread *t);
/* The kernel gets the runtime's handler, or none, for what the program has said: @a. */
void signal_install(u32 signo, const struct ksigaction *a);
/* It may be a fault of the instruction at hand. */
bool signal_is_sync(u32 signo);
/* What it does without a handler */
bool signal_kills(u32 signo);

/* ---- masks ---- */

/* Of the calling thread, in the kernel */
void signal_set_mask(u64 mask);
/* For what must not be interrupted: faults of the runtime's own still come. */
void signal_block_all(void);
/* And these do not, either: the program's alternate stack is in use. */
void signal_block_faults(void);
/* The program's mask holds again. */
void signal_unblock(const struct thread *t);
/* Never blocked in the kernel; never blocked at all */
u64 signal_kernel_mask(u64 mask);
u64 signal_program_mask(u64 mask);

/* ---- alternate stacks ---- */

/* The runtime's own, for the calling thread */
void signal_use_alt_stack(const struct thread *t);
/* That of a thread that is taken over, and back */
void signal_take_alt_stack(struct thread *t);
void signal_give_alt_stack(const struct thread *t);
bool signal_on_alt_stack(const struct thread *t, u64 sp);
/* sigaltstack()'s flags, with the stack pointer at @sp */
u32 signal_alt_flags(const struct thread *t, u64 sp);

#endif /* SOFTPT_XL_HANDLERS_H */
