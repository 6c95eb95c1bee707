// SPDX-License-Identifier: BSD-2-Clause
#include "report/link.h"

#include <stdlib.h>

#define ROOM	32	/* added to what there is before it is doubled */

uint32_t links_find(struct report_link_table *t, uint32_t from, uint32_t group)
{
	uint32_t *number = index_at(&t->by_pair, from, group);
	struct report_link *grown;

	if (!number || *number != INDEX_NEW)
		return number ? *number : INDEX_NEW;
	if (t->n == t->room) {
		grown = reallocarray(t->link, t->room + ROOM, 2 * sizeof(*grown));
		if (!grown)
			return INDEX_NEW;
		t->link = grown;
		t->room = 2 * (t->room + ROOM);
	}
	t->link[t->n] = (struct report_link){ .from = from, .group = group };
	*number = t->n++;
	return *number;
}

void links_free(struct report_link_table *t)
{
	free(t->link);
	index_free(&t->by_pair);
}
