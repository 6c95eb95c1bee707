// SPDX-License-Identifier: BSD-2-Clause
#include "report/index.h"

#include <stdlib.h>

#define SIZE_FIRST	256

/* Multiplication spreads the lower bits, the shift brings them back down (splitmix64). */
static uint64_t hash(uint64_t a, uint64_t b)
{
	uint64_t h = a ^ (b * 0x9e3779b97f4a7c15ull);

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return h ^ h >> 31;
}

static struct index_cell *find(const struct report_index *x, uint64_t a, uint64_t b)
{
	size_t i = hash(a, b) & (x->size - 1);

	while (x->cell[i].used && (x->cell[i].a != a || x->cell[i].b != b))
		i = (i + 1) & (x->size - 1);
	return &x->cell[i];
}

static int grow(struct report_index *x)
{
	struct report_index grown = { .size = x->size ? 2 * x->size : SIZE_FIRST, .n = x->n };
	size_t i;

	grown.cell = calloc(grown.size, sizeof(*grown.cell));
	if (!grown.cell)
		return -1;
	for (i = 0; i < x->size; i++)
		if (x->cell[i].used)
			*find(&grown, x->cell[i].a, x->cell[i].b) = x->cell[i];
	free(x->cell);
	*x = grown;
	return 0;
}

uint32_t *index_at(struct report_index *x, uint64_t a, uint64_t b)
{
	struct index_cell *cell;

	if (x->n * 2 >= x->size && grow(x))
		return NULL;
	cell = find(x, a, b);
	if (!cell->used) {
		*cell = (struct index_cell){ .a = a, .b = b, .value = INDEX_NEW, .used = 1 };
		x->n++;
	}
	return &cell->value;
}

uint64_t index_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;	/* FNV-1a */

	while (*name)
		h = (h ^ (uint8_t)*name++) * 0x100000001b3ull;
	return h;
}

void index_free(struct report_index *x)
{
	free(x->cell);
	*x = (struct report_index){ 0 };
}
