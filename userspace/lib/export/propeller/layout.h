/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order functions are to lie, and blocks in each: only those that were executed */
#ifndef SOFTPT_EXPORT_PROPELLER_LAYOUT_H
#define SOFTPT_EXPORT_PROPELLER_LAYOUT_H

#include "export/propeller/chains.h"
#include "export/propeller/graph.h"

/**
 * struct layout_chain - a chain, where it is in an order
 * @group: what it is in, the function of blocks
 * @head: it begins with what has to be first in its group
 * @times: how often its hottest member was executed
 * @first: its first member
 */
struct layout_chain {
	uint32_t group;
	bool head;
	uint64_t times;
	uint32_t first;
};

/**
 * struct layout - the order
 * @blocks: chains of blocks
 * @block: these, by function, that of the entry first, then by their hottest block
 * @nr_block: how many
 * @functions: chains of functions
 * @function: these, by their hottest block
 * @nr_function: how many
 */
struct layout {
	struct chains blocks;
	struct layout_chain *block;
	uint32_t nr_block;
	struct chains functions;
	struct layout_chain *function;
	uint32_t nr_function;
};

/* layout_free(), whatever is returned. Return: 0 or -ENOMEM */
int layout_make(struct layout *l, const struct blockmap *map, const struct graph *g);
void layout_free(struct layout *l);

/* Return: the index in @l->block of the first chain of a function */
uint32_t layout_chains_of(const struct layout *l, uint32_t function);

#endif /* SOFTPT_EXPORT_PROPELLER_LAYOUT_H */
