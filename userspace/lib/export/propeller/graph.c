// SPDX-License-Identifier: BSD-2-Clause
#include "export/propeller/graph.h"

#include <errno.h>
#include <stdlib.h>

struct making {
	struct graph *graph;
	const struct blockmap *map;
	const struct branched *from;
};

static const struct edge_end *end_of(const struct making *m, uint32_t end)
{
	return &m->from->edges.end[end];
}

/* Return: NO_BLOCK of another file, too */
static uint32_t block_of(const struct making *m, uint32_t end)
{
	const struct edge_end *e = end_of(m, end);

	return e->file == m->from->of ? blockmap_find(m->map, e->addr) : NO_BLOCK;
}

/* From block @i into the one behind it, if that is of the same function */
static bool fall_through(const struct making *m, uint32_t i, uint64_t times)
{
	const struct map_block *block = &m->map->block[i];

	if (i + 1 == m->map->blocks || block->function != block[1].function)
		return true;
	return arcs_add(&m->graph->ways, i, i + 1, times);
}

/* Blocks in a row, without a branch that was taken, but for the last */
static bool take_between(const struct making *m, const struct edge *e)
{
	uint32_t i = block_of(m, e->from), last = block_of(m, e->to);

	if (i == NO_BLOCK || last == NO_BLOCK)
		return true;
	for (; i < last; i++) {
		m->graph->times[i] += e->times;
		if (!fall_through(m, i, e->times))
			return false;
	}
	if (i == last)
		m->graph->times[i] += e->times;
	return true;
}

/* A call may end a block: what it returns to is behind it. Exceptions come from anywhere. */
static bool take_return(const struct making *m, uint32_t to, uint64_t times)
{
	const struct map_block *block = &m->map->block[to];

	if (!to || block->pad || block[-1].function != block->function)
		return true;
	return arcs_add(&m->graph->ways, to - 1, to, times);
}

static bool take_branch(const struct making *m, const struct edge *e)
{
	uint32_t from = block_of(m, e->from), to = block_of(m, e->to);
	const struct map_block *block = m->map->block;
	uint64_t addr = end_of(m, e->to)->addr;

	if (to == NO_BLOCK)
		return true;
	if (addr == m->map->entry[block[to].function])
		return from == NO_BLOCK || block[from].function == block[to].function ||
		       arcs_add(&m->graph->calls, block[from].function, block[to].function,
				e->times);
	if (addr != block[to].addr)
		return true;	/* behind a call within a block */
	if (from == NO_BLOCK || block[from].returns || block[from].function != block[to].function)
		return take_return(m, to, e->times);
	return arcs_add(&m->graph->ways, from, to, e->times);
}

static bool take_all(const struct making *m, const struct edge_list *list,
		     bool (*take)(const struct making *m, const struct edge *e))
{
	uint32_t i;

	for (i = 0; i < list->n; i++)
		if (!take(m, &list->edge[i]))
			return false;
	return true;
}

static void find_hottest(const struct making *m)
{
	uint64_t *hottest;
	uint32_t i;

	for (i = 0; i < m->map->blocks; i++) {
		hottest = &m->graph->hottest[m->map->block[i].function];
		if (m->graph->times[i] > *hottest)
			*hottest = m->graph->times[i];
	}
}

int graph_make(struct graph *g, const struct blockmap *map, const struct branched *b)
{
	const struct making m = { g, map, b };

	*g = (struct graph){
		.times = calloc(map->blocks, sizeof(*g->times)),
		.hottest = calloc(map->functions, sizeof(*g->hottest)),
	};
	if (!g->times || !g->hottest || !take_all(&m, &b->edges.between, take_between) ||
	    !take_all(&m, &b->edges.branches, take_branch))
		return -ENOMEM;
	find_hottest(&m);
	arcs_sort(&g->ways);
	arcs_sort(&g->calls);
	return 0;
}

void graph_free(struct graph *g)
{
	free(g->times);
	free(g->hottest);
	arcs_free(&g->ways);
	arcs_free(&g->calls);
}
