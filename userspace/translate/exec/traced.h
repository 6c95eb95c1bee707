/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_XL_TRACED_H
#define SOFTPT_XL_TRACED_H

#include "../thread.h"

/* The program's PTRACE_TRACEME: the kernel is told of it later. Return: 0 or -EPERM */
long trace_me(struct thread *t);

/* It is told now: before an exec, a signal that is sent, a fault. Return: whether it was */
bool traced_now(struct thread *t);

#endif /* SOFTPT_XL_TRACED_H */
