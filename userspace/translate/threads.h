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
/* A process that runs already has no thread yet. */
void threads_none(void);
/* One of it. NULL: no memory */
struct thread *thread_take(u32 tid);
/* The first of a process */
struct thread *thread_first(void);
struct clone_args;
/*
 * A new thread, with registers @c, which goes on at @next. One of a vfork() is another process in
 * the same memory: it has gone when this returns.
 */
long thread_clone(struct thread *t, const struct context *c, const struct clone_args *args,
		  u64 next);
/* A vfork()'s process executes another program: it has left this memory, or it has not. */
void thread_executes(struct thread *t);
void thread_stays(struct thread *t);
void thread_exit(struct thread *t, long code) __attribute__((noreturn));
/* All but @me are out of the translations when this returns. They wait in the dispatcher. */
void threads_leave(const struct thread *me);
/* Whether @t is the last */
bool thread_alone(void);
/* The child of a fork() has one thread, @t, whose words are elsewhere; they were @was. */
void thread_forked(struct thread *t, const struct softpt_xl_words *was);

#endif /* SOFTPT_XL_THREADS_H */
