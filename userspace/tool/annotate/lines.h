/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each line of a function was executed */
#ifndef SOFTPT_TOOL_ANNOTATE_LINES_H
#define SOFTPT_TOOL_ANNOTATE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "coverage/coverage.h"

/**
 * struct annotate_line - a line with code
 * @line: its number
 * @times: of that of its instructions that was executed most
 */
struct annotate_line {
	int line;
	uint64_t times;
};

/**
 * struct annotate_lines - lines of a function, of the source file that it begins in
 * @path: that file, with its folder; NULL: not known
 * @begin: the line that the function begins with
 * @line: by number
 * @n: how many
 */
struct annotate_lines {
	char *path;
	int begin;
	struct annotate_line *line;
	size_t n;
};

/* Return: 0 with no line where none is known, or -ENOMEM; free it in either case */
int annotate_lines_find(struct annotate_lines *lines, const struct coverage_function *f);
void annotate_lines_free(struct annotate_lines *lines);

#endif /* SOFTPT_TOOL_ANNOTATE_LINES_H */
