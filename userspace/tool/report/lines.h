/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: which groups and links are printed, in what order */
#ifndef SOFTPT_TOOL_REPORT_LINES_H
#define SOFTPT_TOOL_REPORT_LINES_H

#include <stddef.h>

#include "view.h"

/**
 * struct lines - what is printed
 * @group: in the order of printing
 * @n: how many
 * @left: how many more there would be without --limit
 * @left_self: instructions of theirs
 */
struct lines {
	const struct report_group **group;
	size_t n;
	size_t left;
	uint64_t left_self;
};

/* Whether the name of a group is what --function says */
bool lines_match(const struct view *v, const struct report_group *g);

/* Whether that is so of any group that ran */
bool lines_any(const struct view *v);

/* Return: 0 or -ENOMEM */
int lines_choose(const struct view *v, struct lines *lines);
void lines_free(struct lines *lines);

/**
 * struct links - links in the order of printing
 * @link: those of one group or node behind each other, those with most instructions first
 * @n: how many
 */
struct links {
	const struct report_link **link;
	size_t n;
};

/* By the group that was called, or by what called. Return: 0 or -ENOMEM */
int links_sort(const struct view *v, bool by_callee, struct links *links);
/* The first link of a group or a node; @end: set to the one behind its last */
size_t links_of(const struct links *links, bool by_callee, uint32_t key, size_t *end);
void links_done(struct links *links);

#endif /* SOFTPT_TOOL_REPORT_LINES_H */
