/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's system calls: most go to the kernel as they are */
#ifndef SOFTPT_XL_SYSCALL_H
#define SOFTPT_XL_SYSCALL_H

#include "thread.h"

/*
 * The system call that @c asks for; the program goes on at @next.
 *
 * Return: its result; XL_ABORT: a signal comes first, and the call was not made
 */
long syscall_do(struct thread *t, struct context *c, u64 next);

/* Which one that is: of one that the thread was taken over in, and goes on with, the program's */
u64 syscall_number(const struct thread *t, const struct context *c);

#endif /* SOFTPT_XL_SYSCALL_H */
