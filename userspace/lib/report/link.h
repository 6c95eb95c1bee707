/* SPDX-License-Identifier: BSD-2-Clause */
/* Who called whom: pairs of caller and callee, or nodes of the tree of calls */
#ifndef SOFTPT_REPORT_LINK_H
#define SOFTPT_REPORT_LINK_H

#include <stdint.h>

#include "report/index.h"
#include "report/span.h"

#define REPORT_ROOT	UINT32_MAX	/* the caller of what nobody called */

/**
 * struct report_link - what a function cost where one other called it
 * @from: the group that called; in the tree: the link that called. Or REPORT_ROOT
 * @group: that was called
 * @calls: how often
 * @self: instructions of its own, there; in the tree only
 * @total: with the functions that it called
 * @time: as @total, from calls to returns
 * @wait: of @time, without a CPU
 */
struct report_link {
	uint32_t from;
	uint32_t group;
	uint64_t calls;
	uint64_t self;
	uint64_t total;
	struct report_span time;
	struct report_span wait;
};

struct report_link_table {
	struct report_link *link;
	uint32_t n;
	uint32_t room;
	struct report_index by_pair;
};

/* Return: the number of the link, or INDEX_NEW without memory */
uint32_t links_find(struct report_link_table *t, uint32_t from, uint32_t group);
void links_free(struct report_link_table *t);

#endif /* SOFTPT_REPORT_LINK_H */
