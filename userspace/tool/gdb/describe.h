/* SPDX-License-Identifier: BSD-2-Clause */
/* What a debugger asks of a process before it looks: files, where they are mapped, threads */
#ifndef SOFTPT_TOOL_GDB_DESCRIBE_H
#define SOFTPT_TOOL_GDB_DESCRIBE_H

#include <stddef.h>

struct past;

/* Texts that are made when the first of them is asked for; @auxv is binary */
struct description {
	char *target;
	char *threads;
	char *program;
	char *libraries;
	char *auxv;
	size_t auxv_len;
};

/* @root: cut off the names of files: the debugger puts its own there. Return: 0 or -ENOMEM */
int describe(struct description *d, const struct past *h, const char *root);
void description_free(struct description *d);

#endif /* SOFTPT_TOOL_GDB_DESCRIBE_H */
