// SPDX-License-Identifier: BSD-2-Clause
/* Branches of a small program, and the order of its blocks and functions, worked out by hand */
#include <stdio.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/export/propeller/layout.h"

/*
 * A loop 1 2: 1 ends with a call, which returns to the begin of 2. 4 is a landing pad. Of the other
 * functions the first two are called, and the last is not.
 */
static struct map_block block[] = {
	{ 0x100, 16, 0, 0, false, false }, { 0x110, 16, 1, 0, false, false },
	{ 0x120, 16, 2, 0, false, false }, { 0x130, 16, 3, 0, true, false },
	{ 0x140, 16, 4, 0, false, true }, { 0x150, 16, 5, 0, false, false },
	{ 0x200, 16, 0, 1, true, false }, { 0x300, 16, 0, 2, true, false },
	{ 0x400, 16, 0, 3, true, false },
};

static uint64_t entry[] = { 0x100, 0x200, 0x300, 0x400 };

static const struct blockmap map = { block, sizeof(block) / sizeof(block[0]), entry, 4 };

enum { AT_100, AT_10C, AT_110, AT_11E, AT_120, AT_12C, AT_13C, AT_140, AT_14C, AT_200, AT_20C,
	AT_300, AT_30C, AT_400, AT_40C, ELSEWHERE, OF_ANOTHER };

static struct edge_end end[] = {
	[AT_100] = { 0, 0x100, false }, [AT_10C] = { 0, 0x10c, false },
	[AT_110] = { 0, 0x110, false }, [AT_11E] = { 0, 0x11e, false },
	[AT_120] = { 0, 0x120, false }, [AT_12C] = { 0, 0x12c, false },
	[AT_13C] = { 0, 0x13c, false }, [AT_140] = { 0, 0x140, false },
	[AT_14C] = { 0, 0x14c, false }, [AT_200] = { 0, 0x200, false },
	[AT_20C] = { 0, 0x20c, false }, [AT_300] = { 0, 0x300, false },
	[AT_30C] = { 0, 0x30c, false }, [AT_400] = { 0, 0x400, false },
	[AT_40C] = { 0, 0x40c, false }, [ELSEWHERE] = { INDEX_NEW, 0x120, false },
	[OF_ANOTHER] = { 1, 0x120, false },
};

static struct edge branch[] = {
	{ ELSEWHERE, AT_100, false, 1 }, { AT_10C, AT_120, false, 1 }, { AT_12C, AT_110, false, 9 },
	{ AT_11E, AT_200, false, 9 }, { AT_20C, AT_120, false, 8 }, { AT_20C, AT_140, false, 1 },
	{ AT_14C, AT_300, false, 1 }, { AT_13C, OF_ANOTHER, false, 1 },
};

static struct edge between[] = {
	{ AT_100, AT_10C, false, 1 }, { AT_120, AT_12C, false, 9 }, { AT_110, AT_11E, false, 9 },
	{ AT_200, AT_20C, false, 9 }, { AT_120, AT_13C, false, 1 }, { AT_140, AT_14C, false, 1 },
	{ AT_300, AT_30C, false, 50 }, { AT_400, AT_40C, true, 100 },
	{ OF_ANOTHER, OF_ANOTHER, false, 1000 },
};

static const struct branched branched = {
	.edges = {
		.end = end, .branches = { .edge = branch, .n = sizeof(branch) / sizeof(branch[0]) },
		.between = { .edge = between, .n = sizeof(between) / sizeof(between[0]) },
	},
};

static uint64_t weight(const struct arcs *arcs, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = 0; i < arcs->n; i++)
		if (arcs->arc[i].from == from && arcs->arc[i].to == to)
			return arcs->arc[i].times;
	return 0;
}

static void test_graph(const struct graph *g)
{
	static const uint64_t times[] = { 1, 9, 10, 1, 1, 0, 9, 50, 100 };
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		kit_is(g->times[i], times[i], "times of a block");
	kit_is(weight(&g->ways, 0, 2), 1, "a jump");
	kit_is(weight(&g->ways, 2, 1), 9, "a jump back");
	kit_is(weight(&g->ways, 2, 3), 1, "without a branch");
	kit_is(weight(&g->ways, 1, 2), 8, "behind a call that ends a block");
	kit_is(g->ways.n, 4, "an exception comes from nowhere near");
	kit_is(weight(&g->calls, 0, 1), 9, "calls");
	kit_is(weight(&g->calls, 0, 2), 1, "a call");
	kit_is(g->calls.n, 2, "a return is none");
	kit_is(g->hottest[0], 10, "the hottest block of a function");
}

static void expect(struct chains *c, const struct layout_chain *chain, uint32_t n,
		   const char *want, const char *what)
{
	char text[128] = "";
	size_t len = 0;
	uint32_t i, member;

	for (i = 0; i < n; i++)
		for (member = chain[i].first; member != NO_MEMBER; member = c->next[member])
			len += snprintf(text + len, sizeof(text) - len, " %u", member);
	kit_ok(!strcmp(text, want), "%s:%s", what, text);
}

static void test_layout(const struct graph *g)
{
	struct layout l;
	uint32_t first, second;

	if (layout_make(&l, &map, g))
		kit_bail("memory");
	first = layout_chains_of(&l, 0);
	second = layout_chains_of(&l, 1);
	expect(&l.blocks, l.block + first, second - first, " 0 2 1 3 4",
	       "the entry, the loop, what is behind it; nothing that was not executed");
	expect(&l.blocks, l.block + second, layout_chains_of(&l, 2) - second, " 6", "another one");
	kit_is(layout_chains_of(&l, 4), l.nr_block, "of no function");
	expect(&l.functions, l.function, l.nr_function, " 3 0 1 2",
	       "the hottest chain, then a caller with what it calls");
	layout_free(&l);
}

int main(void)
{
	struct graph g;

	if (graph_make(&g, &map, &branched))
		kit_bail("memory");
	test_graph(&g);
	test_layout(&g);
	graph_free(&g);
	return kit_done();
}
