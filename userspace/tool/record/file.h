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

#endif /* SOFTPT_TOOL_RECORD_FILE_H */
