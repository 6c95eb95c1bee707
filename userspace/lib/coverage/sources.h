/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often the lines, functions and branches of each source file were executed, of all that a
 * program was made of. A line is executed as often as that of its instructions that was executed
 * most; in each function that has a copy of it, and these are added.
 */
#ifndef SOFTPT_COVERAGE_SOURCES_H
#define SOFTPT_COVERAGE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "coverage/coverage.h"

/**
 * struct coverage_line - a line, or what is at one
 * @line: its number, from 1 on
 * @times: how often it was executed
 * @taken: of these, how often a branch was taken
 * @name: of a function, its symbol; else NULL
 * @label: the symbol as people write it
 */
struct coverage_line {
	int line;
	uint64_t times;
	uint64_t taken;
	const char *name;
	const char *label;
};

/* In the order of their numbers */
struct coverage_lines {
	struct coverage_line *line;
	size_t n;
};

/**
 * struct coverage_source - a source file
 * @path: with its folder, as the compiler named it
 * @lines: those with code
 * @functions: at the line that each begins with
 * @branches: conditional ones, at their lines
 */
struct coverage_source {
	char *path;
	struct coverage_lines lines;
	struct coverage_lines functions;
	struct coverage_lines branches;
};

/**
 * struct coverage_sources - all source files
 * @source: in the order in which they were found
 * @n: how many
 */
struct coverage_sources {
	struct coverage_source *source;
	size_t n;
};

/* Return: 0 or -ENOMEM; free it in either case. Names are of @coverage. */
int coverage_sources_find(struct coverage_sources *sources, const struct coverage *coverage);
void coverage_sources_free(struct coverage_sources *sources);

#endif /* SOFTPT_COVERAGE_SOURCES_H */
