/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt view: the instructions of the functions that are on the page */
#ifndef SOFTPT_TOOL_VIEW_INSNS_H
#define SOFTPT_TOOL_VIEW_INSNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "functions.h"
#include "source.h"

#define PAGE_INSNS_MAX	(4u << 20)	/* bytes on the page */

/**
 * struct page_insns - instructions, as the script of the page reads them
 * @code: of each of the page's functions: pieces that were executed equally often, each
 *	["ADDRESS",TIMES,"SIZE TEXT",...], and where the last is a conditional branch, how often it
 *	was taken. SIZE is one digit, to the base of 36. NULL: left out, for want of room
 * @lines: of each, how many of its instructions are of which line: COUNT,FILE,LINE,...; NULL: as
 *	@code, or source is left out
 * @n: how many functions
 * @room: bytes that are left
 */
struct page_insns {
	char **code;
	char **lines;
	uint32_t n;
	size_t room;
};

/* @source: NULL: without lines. Return: 0 or -ENOMEM; free it in either case */
int page_insns_find(struct page_insns *insns, const struct page_functions *functions,
		    struct page_source *source);
void page_insns_free(struct page_insns *insns);

/* As members of an object, with a comma in front */
void page_insns_put_code(const struct page_insns *insns, FILE *to);
void page_insns_put_lines(const struct page_insns *insns, FILE *to);

#endif /* SOFTPT_TOOL_VIEW_INSNS_H */
