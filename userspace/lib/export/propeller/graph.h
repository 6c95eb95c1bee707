/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each block of a program was executed, and what came behind it */
#ifndef SOFTPT_EXPORT_PROPELLER_GRAPH_H
#define SOFTPT_EXPORT_PROPELLER_GRAPH_H

#include "export/branches/branched.h"
#include "export/propeller/arcs.h"
#include "export/propeller/blockmap.h"

/**
 * struct graph - blocks and functions with what was executed
 * @times: how often each block was executed
 * @hottest: of each function, the @times of the block that was executed most
 * @ways: from block to block of a function, by a branch or without one
 * @calls: from function to function
 */
struct graph {
	uint64_t *times;
	uint64_t *hottest;
	struct arcs ways;
	struct arcs calls;
};

/* graph_free(), whatever is returned. Return: 0 or -ENOMEM */
int graph_make(struct graph *g, const struct blockmap *map, const struct branched *b);
void graph_free(struct graph *g);

#endif /* SOFTPT_EXPORT_PROPELLER_GRAPH_H */
