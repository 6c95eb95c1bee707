/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report --syscalls: a line for each system call */
#ifndef SOFTPT_TOOL_REPORT_SYSCALLS_H
#define SOFTPT_TOOL_REPORT_SYSCALLS_H

#include "view.h"

/* Whether lines of system calls can be sorted so */
bool syscalls_sort_by(enum view_sort sort);
/* Whether any is named as --function says */
bool syscalls_any(const struct view *v);
/* Return: 0 or -ENOMEM */
int syscalls_print(const struct view *v);

#endif /* SOFTPT_TOOL_REPORT_SYSCALLS_H */
