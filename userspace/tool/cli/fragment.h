/* SPDX-License-Identifier: BSD-2-Clause */
/* Several files from one run: FILE, FILE.1, FILE.2 and so on */
#ifndef SOFTPT_TOOL_CLI_FRAGMENT_H
#define SOFTPT_TOOL_CLI_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of the N-th file: @path itself, then PATH.1, PATH.2... Return: 0 or -ENAMETOOLONG */
int fragment_name(char *name, size_t size, const char *path, unsigned int n);

/* Whether this is the name of such a file, but for the first */
bool is_fragment(const char *name, const char *path);

/**
 * struct fragment - one of the files of a run
 * @n: its number
 * @path: of the first
 * @first: the first, open
 * @input: a name that none may have
 */
struct fragment {
	unsigned int n;
	const char *path;
	FILE *first;
	const char *input;
};

/* Return: 0; SIM_REFUSED after a message; -errno: the first's */
int fragment_write(const struct fragment *f, const void *bytes, size_t len);

#endif /* SOFTPT_TOOL_CLI_FRAGMENT_H */
