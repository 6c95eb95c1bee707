// SPDX-License-Identifier: BSD-2-Clause
/* The path from an SE on, row by row */
#include <stdlib.h>

#include "port/search.h"
#include "port/walk.h"

/*
 * LR or CTR was used before the SE sent it: as if nothing wrote it in between. That is right if
 * the path comes to the next SE.
 */
static bool is_wrong(const struct softpt_port_walk *from)
{
	struct softpt_port_walk w = *from;

	while (!w.confirmed && (w.lr.early || w.ctr.early || w.inferred) && w.reason < 0 &&
	       port_walk_find(&w) && port_walk_symbol(&w))
		w.rows = 0;
	return w.reason >= 0 && w.inferred;
}

struct softpt_port_walk *softpt_port_walk_new(const struct softpt_port *port,
					      const struct softpt_port_se *se,
					      softpt_port_read read, void *context)
{
	struct softpt_port_walk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->port = port;
	w->read = read;
	w->context = context;
	port_walk_begin(w, se, true);
	if (is_wrong(w))
		port_walk_begin(w, se, false);
	return w;
}

void softpt_port_walk_in(struct softpt_port_walk *w, const struct softpt_port_code *code, size_t n,
			 uint64_t *steps)
{
	w->code = code;
	w->codes = n;
	w->steps = steps;
}

void softpt_port_walk_free(struct softpt_port_walk *w)
{
	free(w);
}

int softpt_port_walk_next(struct softpt_port_walk *w, struct softpt_port_row *row)
{
	while (w->given == w->rows) {
		w->given = 0;
		w->rows = 0;
		if (w->reason >= 0 || !port_walk_find(w))
			return 0;
		if (w->codes)
			port_walk_search(w);
		else
			port_walk_symbol(w);
	}
	*row = w->row[w->given++];
	return 1;
}

unsigned int softpt_port_walk_end(const struct softpt_port_walk *w, uint64_t *clock,
				  uint32_t *addr)
{
	*clock = w->clock;
	*addr = w->addr;
	return w->reason < 0 ? SOFTPT_PORT_END : w->reason;
}
