// SPDX-License-Identifier: BSD-2-Clause
#include "export/propeller/layout.h"

#include <errno.h>
#include <stdlib.h>

/* By group, the head first, then the hottest; else as they lie in the program */
static int in_order(const void *a, const void *b)
{
	const struct layout_chain *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->head != y->head)
		return x->head ? -1 : 1;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void sort(struct layout_chain *chain, uint32_t n)
{
	if (n)
		qsort(chain, n, sizeof(*chain), in_order);
}

static bool is_entry(const struct blockmap *map, uint32_t i)
{
	return map->block[i].size && map->block[i].addr == map->entry[map->block[i].function];
}

/* An entry is a cluster's first block, also where nobody saw it executed. */
static int order_blocks(struct layout *l, const struct blockmap *map, const struct graph *g,
			bool *heads)
{
	struct chains *c = &l->blocks;
	uint32_t i;

	for (i = 0; i < map->blocks; i++)
		heads[i] = is_entry(map, i);
	if (chains_make(c, map->blocks, g->times))
		return -ENOMEM;
	chains_join_ends(c, &g->ways, heads);
	l->block = calloc(map->blocks, sizeof(*l->block));
	if (!l->block)
		return -ENOMEM;
	for (i = 0; i < map->blocks; i++) {
		const uint32_t function = map->block[i].function, first = c->first[i];

		if (c->up[i] == i && (c->times[i] || (heads[first] && g->hottest[function])))
			l->block[l->nr_block++] = (struct layout_chain){
				function, heads[first], c->times[i], first,
			};
	}
	sort(l->block, l->nr_block);
	return 0;
}

static int order_functions(struct layout *l, const struct blockmap *map, const struct graph *g)
{
	struct chains *c = &l->functions;
	uint32_t i;

	if (chains_make(c, map->functions, g->hottest))
		return -ENOMEM;
	chains_join(c, &g->calls);
	l->function = calloc(map->functions, sizeof(*l->function));
	if (!l->function)
		return -ENOMEM;
	for (i = 0; i < map->functions; i++)
		if (c->up[i] == i && c->times[i])
			l->function[l->nr_function++] = (struct layout_chain){
				.times = c->times[i], .first = c->first[i],
			};
	sort(l->function, l->nr_function);
	return 0;
}

int layout_make(struct layout *l, const struct blockmap *map, const struct graph *g)
{
	bool *heads = calloc(map->blocks, sizeof(*heads));
	int err = -ENOMEM;

	*l = (struct layout){ 0 };
	if (heads)
		err = order_blocks(l, map, g, heads);
	free(heads);
	return err ? err : order_functions(l, map, g);
}

uint32_t layout_chains_of(const struct layout *l, uint32_t function)
{
	uint32_t low = 0, high = l->nr_block;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (l->block[mid].group < function)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void layout_free(struct layout *l)
{
	chains_free(&l->blocks);
	chains_free(&l->functions);
	free(l->block);
	free(l->function);
}
