/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: all handlers are the runtime's (signal.c); the program's system calls (sigcalls.c) */
#ifndef SOFTPT_XL_SIGNAL_H
#define SOFTPT_XL_SIGNAL_H

#include "../thread.h"
#include "frame.h"
#include "handlers.h"

/*
 * A signal that the runtime has found, as a fault of the program at thread.pc.
 *
 * Return: where the dispatcher is to go
 */
u64 signal_fault(struct thread *t, u32 signo, s32 code, u64 addr);
/* Signals that were held although the program blocks them: those that it does not any more */
void signal_held_again(struct thread *t);
/* The kernel's frame: from entry.S. All handlers of the runtime's are this one. */
void on_signal(int signo, struct ksiginfo *info, struct frame *f);

/* ---- sigcalls.c ---- */

long sigcall_action(long signo, u64 act, u64 old, long size);
long sigcall_mask(struct thread *t, long how, u64 set, u64 old, long size);
long sigcall_alt_stack(struct thread *t, u64 alt, u64 old);
long sigcall_return(struct thread *t);

#endif /* SOFTPT_XL_SIGNAL_H */
