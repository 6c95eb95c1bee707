// SPDX-License-Identifier: BSD-2-Clause
#include "export/propeller/arcs.h"

#include <stdlib.h>

static bool append(struct arcs *arcs, const struct arc *arc)
{
	const size_t room = arcs->n ? 2 * (size_t)arcs->n : 1;
	struct arc *grown = arcs->arc;

	if (!(arcs->n & (arcs->n - 1)))
		grown = reallocarray(grown, room, sizeof(*grown));
	if (!grown)
		return false;
	arcs->arc = grown;
	grown[arcs->n++] = *arc;
	return true;
}

bool arcs_add(struct arcs *arcs, uint32_t from, uint32_t to, uint64_t times)
{
	uint32_t *number = index_at(&arcs->by_ends, from, to);

	if (!number)
		return false;
	if (*number == INDEX_NEW) {
		if (!append(arcs, &(struct arc){ from, to, 0 }))
			return false;
		*number = arcs->n - 1;
	}
	arcs->arc[*number].times += times;
	return true;
}

/* Of those that weigh the same the first in the program is the first: a profile is reproducible. */
static int heaviest_first(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void arcs_sort(struct arcs *arcs)
{
	if (arcs->n)
		qsort(arcs->arc, arcs->n, sizeof(*arcs->arc), heaviest_first);
}

void arcs_free(struct arcs *arcs)
{
	index_free(&arcs->by_ends);
	free(arcs->arc);
}
