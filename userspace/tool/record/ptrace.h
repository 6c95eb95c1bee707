/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --no-module: a program that is stepped with ptrace */
#ifndef SOFTPT_TOOL_RECORD_PTRACE_H
#define SOFTPT_TOOL_RECORD_PTRACE_H

#include <stdbool.h>

#include <linux/softpt.h>

/**
 * struct ptrace_job - what softpt record --no-module was asked for
 * @path: of the recording
 * @argv: the program
 * @cpu: the only one that it may run on, or -1
 * @stats: counts on stderr
 * @cfg: of the unit, judged
 */
struct ptrace_job {
	const char *path;
	char **argv;
	int cpu;
	bool stats;
	struct softpt_config cfg;
};

/* Return: the program's exit status, or EXIT_REFUSED after a message */
int record_ptrace(const struct ptrace_job *job);

#endif /* SOFTPT_TOOL_RECORD_PTRACE_H */
