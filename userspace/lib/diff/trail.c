// SPDX-License-Identifier: BSD-2-Clause
#include "diff/trail.h"

#include <errno.h>
#include <stdlib.h>

static struct trail *find(struct trails *t, size_t thread)
{
	struct trail *grown;

	if (thread < t->n)
		return &t->trail[thread];
	grown = reallocarray(t->trail, thread + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	t->trail = grown;
	while (t->n <= thread)
		t->trail[t->n++] = (struct trail){ 0 };
	return &t->trail[thread];
}

static int add_mark(struct trail *trail)
{
	uint64_t *grown = trail->mark;

	if (!(trail->marks & (trail->marks - 1)))
		grown = reallocarray(grown, trail->marks ? 2 * trail->marks : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	trail->mark = grown;
	trail->mark[trail->marks++] = trail->hash;
	return 0;
}

int trails_add(struct trails *t, size_t thread, const struct step *step)
{
	struct trail *trail = find(t, thread);

	if (!trail)
		return -ENOMEM;
	trail->hash = (trail->hash ^ step->key) * 0x9e3779b97f4a7c15ull;
	trail->hash ^= trail->hash >> 32;
	trail->steps++;
	return trail->steps % TRAIL_STRETCH ? 0 : add_mark(trail);
}

bool trail_parts(const struct trail *a, const struct trail *b, uint64_t *stretch)
{
	const size_t both = a->marks < b->marks ? a->marks : b->marks;
	size_t i;

	for (i = 0; i < both && a->mark[i] == b->mark[i];)
		i++;
	*stretch = (uint64_t)i * TRAIL_STRETCH;
	return i < both || a->steps != b->steps || a->hash != b->hash;
}

void trails_free(struct trails *t)
{
	while (t->n)
		free(t->trail[--t->n].mark);
	free(t->trail);
}
