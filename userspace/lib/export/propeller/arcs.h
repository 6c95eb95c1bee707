/* SPDX-License-Identifier: BSD-2-Clause */
/* How often one thing followed another */
#ifndef SOFTPT_EXPORT_PROPELLER_ARCS_H
#define SOFTPT_EXPORT_PROPELLER_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/index.h"

struct arc {
	uint32_t from;
	uint32_t to;
	uint64_t times;
};

/* Zero at first; each pair is in it once */
struct arcs {
	struct report_index by_ends;
	struct arc *arc;
	uint32_t n;
};

/* Return: false without memory */
bool arcs_add(struct arcs *arcs, uint32_t from, uint32_t to, uint64_t times);
/* The heaviest first; nothing is added behind it */
void arcs_sort(struct arcs *arcs);
void arcs_free(struct arcs *arcs);

#endif /* SOFTPT_EXPORT_PROPELLER_ARCS_H */
