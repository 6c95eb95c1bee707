/* SPDX-License-Identifier: BSD-2-Clause */
/* entry.S: what is named there */
#ifndef SOFTPT_XL_GUEST_H
#define SOFTPT_XL_GUEST_H

#include "thread.h"
#include "types.h"

/* From the translation into the runtime */
extern const u8 xl_miss[], xl_miss_wide[], xl_enter[];
/* From the kernel: goes to on_signal() */
extern const u8 xl_signal[];
/* Where a signal handler may find a thread */
extern const u8 at_trap[], at_call_check[], at_call[], at_call_abort[], at_copy[],
	at_copy_fault[], at_restore[];

long guest_call(long nr, long a, long b, long c, long d, long e, long f);
u64 guest_copy(void *dst, const void *src, u64 n);
long clone_thread(long flags, void *stack, long parent_tid, long child_tid, long tls,
		  struct thread *t);
void thread_gone(u32 *tid, long code) __attribute__((noreturn));
void frame_restore(void *frame) __attribute__((noreturn));
void attach_failed(const char *why) __attribute__((noreturn));
void program_start(u64 to, u64 sp) __attribute__((noreturn));

/* Where entry.S goes: main.c, begin.c */
u64 dispatch(struct context *c);
/* A new thread has its stack. Return: where it goes */
u64 thread_begin(struct thread *t);
void runtime_main(u64 *sp) __attribute__((noreturn));

/* Read what may not be there. Return: whether it was */
static inline bool guest_read(void *dst, u64 from, u64 n)
{
	return !guest_copy(dst, (const void *)(uintptr_t)from, n);
}

static inline bool guest_write(u64 to, const void *src, u64 n)
{
	return !guest_copy((void *)(uintptr_t)to, src, n);
}

#endif /* SOFTPT_XL_GUEST_H */
