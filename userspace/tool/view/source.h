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
#include "coverage/coverage.h"
#include "report/group.h"
#include "report/index.h"
#include "report/report.h"

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
 * struct page_function - a function whose source is known
 * @file: number of its source file
 * @left_out: its text is not on the page, for want of room
 * @lines: those of it with code
 */
struct page_function {
	uint32_t file;
	bool left_out;
	struct annotate_lines lines;
};

/**
 * struct page_source - source files and functions of a page
 * @file: source files, in the order in which they were found
 * @by_path: the hash of a name: to @file
 * @files: how many
 * @function: those with the most instructions first
 * @functions: how many
 * @of_call: number of the function of each group of the chart, INDEX_NEW: none
 * @calls: how many
 * @of_cost: the same of each group of the report
 * @costs: how many
 * @room: bytes that are left
 */
struct page_source {
	struct page_file *file;
	struct report_index by_path;
	uint32_t files;
	struct page_function *function;
	uint32_t functions;
	uint32_t *of_call;
	uint32_t calls;
	uint32_t *of_cost;
	uint32_t costs;
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

/* @calls: the functions of the chart. Return: 0 or -ENOMEM; free it in either case */
int page_source_find(struct page_source *s, const struct coverage *c,
		     const struct report_groups *calls, const struct report *report);
void page_source_free(struct page_source *s);

/* As a member of the page's data, with a comma in front. Return: 0 or -ENOMEM */
int page_source_put(const struct page_source *s, FILE *to);

#endif /* SOFTPT_TOOL_VIEW_SOURCE_H */
