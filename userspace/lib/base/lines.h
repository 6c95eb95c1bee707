/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that may be anything, line by line */
#ifndef SOFTPT_BASE_LINES_H
#define SOFTPT_BASE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define LINES_LONGEST	65536	/* bytes of a line; no format has any of a thousand */

/**
 * struct lines - a text that is read
 * @name: what the caller calls it in a message: the path, or "stdin"
 * @file: the text
 * @text: the line, without its end
 * @number: of the line, from 1 on
 * @error: why the last call failed
 */
struct lines {
	const char *name;
	FILE *file;
	char *text;
	uint64_t number;
	struct error error;
};

/**
 * lines_open() - open a text
 * @l: filled in; nothing is left to be closed on an error
 * @path: a file, or "-" for stdin
 *
 * Return: 0, or -errno with @l->error set.
 */
int lines_open(struct lines *l, const char *path);

/**
 * lines_next() - the next line
 * @l: the text
 *
 * Return: 1; 0 at the end; -errno with @l->error set: the text can't be read, has a NUL byte or
 * a line that is longer than LINES_LONGEST.
 */
int lines_next(struct lines *l);

/**
 * lines_bad() - the line at hand is not what its reader takes
 * @l: the text
 * @format: what it should be, as printf() has it
 *
 * Return: -EINVAL, with @l->error set to the number of the line and what @format says.
 */
int lines_bad(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* @l->error stays. */
void lines_close(struct lines *l);

#endif /* SOFTPT_BASE_LINES_H */
