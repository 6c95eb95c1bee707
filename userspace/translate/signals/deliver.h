/* SPDX-License-Identifier: BSD-2-Clause */
/* A signal is delivered to the program: its handler runs next, or it dies */
#ifndef SOFTPT_XL_DELIVER_H
#define SOFTPT_XL_DELIVER_H

#include "../code/cache.h"
#include "../thread.h"
#include "frame.h"

/* Not one that somebody has sent */
bool signal_is_fault(u32 signo, const struct ksiginfo *info);
/*
 * The thread is at the program's instruction @pc, with the program's registers in @f but for what
 * @run says (NULL: all are). It goes to the dispatcher from there.
 */
void deliver(struct thread *t, u32 signo, const struct ksiginfo *from, struct frame *f, u64 pc,
	     const struct run *run);
/* The program is killed by a signal. */
void deliver_death(u32 signo);
/* The dispatcher is entered next, for what is at @pc: no branch leads there. */
void deliver_go_to(struct thread *t, u64 pc);
/* No signal: the instruction at @pc is translated anew. */
void deliver_go_on(struct thread *t, struct frame *f, u64 pc, const struct run *run);
/* The kernel tells these of a thread's last fault with each signal from there on. */
void deliver_keep_fault(struct thread *t, u64 trapno, u64 err, u64 cr2);

#endif /* SOFTPT_XL_DELIVER_H */
