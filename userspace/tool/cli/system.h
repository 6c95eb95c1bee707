/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc and /sys say of the system */
#ifndef SOFTPT_TOOL_CLI_SYSTEM_H
#define SOFTPT_TOOL_CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* The first line of a file of /proc or /sys; "" where it can't be read */
void system_line(const char *path, char *buf, size_t len);

/* Whether the kernel takes signed modules only */
bool system_locked_down(void);

#endif /* SOFTPT_TOOL_CLI_SYSTEM_H */
