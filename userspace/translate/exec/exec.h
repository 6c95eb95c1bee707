/* SPDX-License-Identifier: BSD-2-Clause */
/* execve(): the next program is translated, too */
#ifndef SOFTPT_XL_EXEC_H
#define SOFTPT_XL_EXEC_H

#include "../thread.h"

/* Returns unless @path is a script: then its interpreter is started in the same way. */
void exec_script(const char *path, char **argv, char **envp, long fd);
long exec_program(struct thread *t, long path, long argv, long envp);
long exec_at(struct thread *t, long dir, long path, long argv, long envp, long flags);

#endif /* SOFTPT_XL_EXEC_H */
