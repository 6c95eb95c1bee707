// SPDX-License-Identifier: BSD-2-Clause
#include "export/propeller/chains.h"

#include <errno.h>
#include <stdlib.h>

int chains_make(struct chains *c, uint32_t n, const uint64_t *times)
{
	uint32_t i;

	*c = (struct chains){
		.n = n,
		.up = calloc(n, sizeof(*c->up)),
		.first = calloc(n, sizeof(*c->first)),
		.last = calloc(n, sizeof(*c->last)),
		.next = calloc(n, sizeof(*c->next)),
		.times = calloc(n, sizeof(*c->times)),
	};
	if (!c->up || !c->first || !c->last || !c->next || !c->times)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		c->up[i] = i;
		c->first[i] = i;
		c->last[i] = i;
		c->next[i] = NO_MEMBER;
		c->times[i] = times[i];
	}
	return 0;
}

uint32_t chains_root(struct chains *c, uint32_t member)
{
	while (c->up[member] != member) {
		c->up[member] = c->up[c->up[member]];
		member = c->up[member];
	}
	return member;
}

static void join(struct chains *c, uint32_t a, uint32_t b)
{
	c->next[c->last[a]] = c->first[b];
	c->last[a] = c->last[b];
	c->up[b] = a;
	if (c->times[b] > c->times[a])
		c->times[a] = c->times[b];
}

void chains_join_ends(struct chains *c, const struct arcs *arcs, const bool *heads)
{
	const struct arc *arc;
	uint32_t a, b;

	for (arc = arcs->arc; arc < arcs->arc + arcs->n; arc++) {
		a = chains_root(c, arc->from);
		b = chains_root(c, arc->to);
		if (a != b && c->last[a] == arc->from && c->first[b] == arc->to && !heads[arc->to])
			join(c, a, b);
	}
}

void chains_join(struct chains *c, const struct arcs *arcs)
{
	const struct arc *arc;
	uint32_t a, b;

	for (arc = arcs->arc; arc < arcs->arc + arcs->n; arc++) {
		a = chains_root(c, arc->from);
		b = chains_root(c, arc->to);
		if (a != b)
			join(c, a, b);
	}
}

void chains_free(struct chains *c)
{
	free(c->up);
	free(c->first);
	free(c->last);
	free(c->next);
	free(c->times);
}
