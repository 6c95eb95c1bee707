// SPDX-License-Identifier: BSD-2-Clause
/* Many values in three numbers, exactly: they are kept and sorted */
#include <errno.h>
#include <stdlib.h>

#include "types.h"

int eval_values_add(struct eval_values *values, uint64_t v)
{
	if (values->n == values->alloc) {
		size_t alloc = values->alloc ? values->alloc * 2 : 4096;
		uint64_t *grown = reallocarray(values->v, alloc, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		values->v = grown;
		values->alloc = alloc;
	}
	values->v[values->n++] = v;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct eval_spread eval_spread_of(struct eval_values *values)
{
	struct eval_spread spread = { .n = values->n };
	double sum = 0;
	size_t i;

	if (spread.n) {
		qsort(values->v, spread.n, sizeof(*values->v), compare);
		for (i = 0; i < spread.n; i++)
			sum += values->v[i];
		spread.max = values->v[spread.n - 1];
		spread.mean = sum / spread.n;
		spread.p50 = values->v[(spread.n + 1) / 2 - 1];
		/* nearest rank: at least 999 of 1000 are not above it */
		spread.p999 = values->v[(spread.n * 999 + 999) / 1000 - 1];
	}
	free(values->v);
	*values = (struct eval_values){ 0 };
	return spread;
}
