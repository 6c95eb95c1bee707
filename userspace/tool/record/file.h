/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that a recording goes to */
#ifndef SOFTPT_TOOL_RECORD_FILE_H
#define SOFTPT_TOOL_RECORD_FILE_H

#include <stdbool.h>

/*
 * Who may trace may see what was traced: nobody else. What is in the file is spared until
 * trace_begin(). Return: -1 and errno when it can't be written
 */
int trace_create(const char *path, bool *is_new);
/* It is to be empty. Return: 0 or -errno */
int trace_begin(int file);

/**
 * struct trace_pipe - a recording that goes to stdout
 * @file: it is gathered here, which has no name
 * @to: what stdout was
 * @path: what opens @file
 */
struct trace_pipe {
	int file;
	int to;
	char path[32];
};

/*
 * A file of perf.data has its table at its end, so that stdout gets it when it is whole. What the
 * program and the command write to stdout meanwhile goes to stderr. Return: 0 or -errno
 */
int trace_pipe_begin(struct trace_pipe *pipe);
/* Return: 0 or -errno of what stdout was */
int trace_pipe_end(struct trace_pipe *pipe);

#endif /* SOFTPT_TOOL_RECORD_FILE_H */
