/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt view: the source of the functions that are on the page */
#ifndef SOFTPT_TOOL_VIEW_SOURCE_H
#define SOFTPT_TOOL_VIEW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../annotate/lines.h"
#include "../annotate/source.h"
#include "functions.h"
#include "report/index.h"

#define PAGE_SOURCE_MAX	(4u << 20)	/* bytes of text and counts, before they are escaped */

/**
 * struct page_file - a source file
 * @text: of it; without lines where it can't be read
 * @shown: which lines are on the page
 */
struct page_file {
	struct source_text text;
	bool *shown;
};

/**
 * struct page_lines - the source of a function
 * @file: number of its source file
 * @left_out: its text is not on the page, for want of room
 * @lines: those of it with code; none: its source is not known
 */
struct page_lines {
	uint32_t file;
	bool left_out;
	struct annotate_lines lines;
};

/**
 * struct page_source - source files of a page, and the lines of its functions
 * @file: source files, in the order in which they were found
 * @by_path: the hash of a name: to @file
 * @files: how many
 * @function: as the page's functions
 * @functions: how many
 * @room: bytes that are left
 */
struct page_source {
	struct page_file *file;
	struct report_index by_path;
	uint32_t files;
	struct page_lines *function;
	uint32_t functions;
	size_t room;
};

/**
 * struct page_range - lines that are shown in one piece
 * @from: the first
 * @to: the last
 */
struct page_range {
	int from;
	int to;
};

/*
 * The lines with code from number @i of @lines on, what lies between them, and a little around.
 * Return: the number of the line behind it
 */
size_t page_range(const struct annotate_lines *lines, size_t i, struct page_range *range);

/* Return: 0 or -ENOMEM; free it in either case */
int page_source_find(struct page_source *s, const struct page_functions *functions);
void page_source_free(struct page_source *s);

/*
 * The number of a source file, one line of which is wanted: there is its text, too, if that finds
 * room. Return: 0 or -ENOMEM
 */
int page_source_line(struct page_source *s, const char *path, int line, uint32_t *file);

/* As members of an object, with a comma in front. Return: 0 or -ENOMEM */
int page_source_put(const struct page_source *s, FILE *to);

#endif /* SOFTPT_TOOL_VIEW_SOURCE_H */
