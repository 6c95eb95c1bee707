/* SPDX-License-Identifier: BSD-2-Clause */
/* execve(): the next program is translated, too */
#ifndef SOFTPT_XL_EXEC_H
#define SOFTPT_XL_EXEC_H

#include "thread.h"

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
/* The program that /proc/self/exe and /proc/PID/exe are natively, or NULL: @path is another */
const char *exec_exe(const char *path);

#endif /* SOFTPT_XL_EXEC_H */
