/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a source file by line */
#ifndef SOFTPT_TOOL_ANNOTATE_SOURCE_H
#define SOFTPT_TOOL_ANNOTATE_SOURCE_H

#include <stddef.h>

/* The file that was asked for last, all zero at first */
struct source_text {
	char *path;
	char **line;
	size_t n;
};

/* A line of a file, without its end. Return: NULL: the file, or the line, is not here */
const char *source_text_at(struct source_text *s, const char *path, int line);
void source_text_free(struct source_text *s);

#endif /* SOFTPT_TOOL_ANNOTATE_SOURCE_H */
