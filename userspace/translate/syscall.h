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

/* ---- exec.c ---- */

/* What of a program goes to the kernel */
struct program {
	const char *path;
	char **argv;
	char **envp;
};

void exec_init(const char *path);
/* Returns unless @path is a script: then its interpreter is started in the same way. */
void exec_script(const char *path, char **argv, char **envp, long fd);
long exec_program(struct thread *t, long path, long argv, long envp);
long exec_at(struct thread *t, long dir, long path, long argv, long envp, long flags);
/* The program's own name for /proc/self/exe, or NULL: @path is another */
const char *exec_exe(const char *path);

#endif /* SOFTPT_XL_SYSCALL_H */
