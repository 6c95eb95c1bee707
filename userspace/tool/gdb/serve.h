/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_TOOL_GDB_SERVE_H
#define SOFTPT_TOOL_GDB_SERVE_H

struct past;
struct softpt_perf;

/*
 * Answer a debugger on stdin and stdout until it goes. It begins at the end. Return: 0 or
 * -ENOMEM
 */
int serve(struct past *h, const char *root, const struct softpt_perf *perf);

#endif /* SOFTPT_TOOL_GDB_SERVE_H */
