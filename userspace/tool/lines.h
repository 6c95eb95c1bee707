/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that may be anything, line by line */
#ifndef SOFTPT_TOOL_LINES_H
#define SOFTPT_TOOL_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LINES_LONGEST	65536	/* bytes of a line; no format has any of a thousand */

struct lines {
	const char *name;	/* for messages */
	FILE *file;
	char *text;		/* the line, without its end */
	uint64_t number;	/* of the line, from 1 on */
};

/**
 * lines_open() - open a text
 * @path: a file, or "-" for stdin
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int lines_open(struct lines *l, const char *path);

/**
 * lines_next() - the next line
 *
 * Return: 1; 0 at the end; -1 after a message: it can't be read, has a NUL byte or is longer than
 * LINES_LONGEST.
 */
int lines_next(struct lines *l);

void lines_close(struct lines *l);

#endif /* SOFTPT_TOOL_LINES_H */
