/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls of the runtime itself. They return -errno. */
#ifndef SOFTPT_XL_SYS_H
#define SOFTPT_XL_SYS_H

#include <asm/unistd.h>
#include <linux/errno.h>

static inline long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long ret;

	asm volatile("syscall"
		     : "=a"(ret)
		     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
}

#define sys_pad(nr, a, b, c, d, e, f, ...) \
	sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define sys(nr, ...) sys_pad(nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

static inline long sys_pid(void)
{
	return sys(__NR_getpid);
}

static inline long sys_tid(void)
{
	return sys(__NR_gettid);
}

static inline void sys_nap(long us)
{
	long time[2] = { 0, us };

	/* What restart_syscall() goes on with is the program's: nanosleep() would change that. */
	sys(__NR_select, 0, 0, 0, 0, time);
}

#endif /* SOFTPT_XL_SYS_H */
