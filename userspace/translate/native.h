/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that is attached to, and of which the calls of some functions alone are recorded,
 * executes its own code otherwise. Breakpoints lead into the translation: where these functions
 * begin, and where a system call is made that the runtime has to know of. Nothing but the code is
 * different then: GS, the signal handlers, the mask and the alternate stack are those of a thread
 * in translation.
 */
#ifndef SOFTPT_XL_NATIVE_H
#define SOFTPT_XL_NATIVE_H

#include "thread.h"

/* Whether the thread may go on natively */
bool native_may(const struct thread *t);
/* It does, at @to, with the program's registers. Return: @to */
u64 native_go(struct thread *t, u64 to);
/* Whether a signal that has found it at @ip has found it there */
bool native_is(const struct thread *t, u64 ip);
/* The same of a thread that is not @t, and has its GS: the runtime has not seen it begin */
bool native_is_stranger(const struct thread *t, u64 ip);
/* A call of a function was told, or a return to where one was called: @rsp of the program */
void native_called(struct thread *t, u64 rsp, bool by_call);
void native_returned(struct thread *t, u64 rsp);

#endif /* SOFTPT_XL_NATIVE_H */
