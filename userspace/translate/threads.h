/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of the program: they begin, fork and end */
#ifndef SOFTPT_XL_THREADS_H
#define SOFTPT_XL_THREADS_H

#include "thread.h"

struct thread *thread_of(u32 slot);
/* A slot that is free, made ready. NULL: none, or no memory */
struct thread *thread_new(void);
/* Give one back that has never run. */
void thread_drop(struct thread *t);
/* The first of a process */
struct thread *thread_first(void);
/* clone() with a new thread; registers @c, which goes on at @next */
long thread_clone(struct thread *t, struct context *c, u64 next);
void thread_exit(struct thread *t, long code) __attribute__((noreturn));
/* entry.S: a new thread has its stack. Return: where it goes */
u64 thread_begin(struct thread *t);
/* All but @me are out of the translations when this returns. They do not come back by themselves. */
void threads_leave(const struct thread *me);
/* Whether @t is the last */
bool thread_alone(void);
/* The child of a fork() has one thread, @t, whose words are elsewhere; they were @was. */
void thread_forked(struct thread *t, const struct softpt_xl_words *was);

#endif /* SOFTPT_XL_THREADS_H */
