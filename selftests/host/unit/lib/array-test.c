// SPDX-License-Identifier: BSD-2-Clause
/* Arrays that grow one by one (base/array.h) */
#include <stdint.h>
#include <stdlib.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/base/array.h"

#define MANY	1000

/* Return: how many of them are as they were written */
static size_t fill(uint64_t **array, size_t n)
{
	uint64_t *grown;
	size_t i;

	for (i = 0; i < n; i++) {
		grown = array_more(*array, i, sizeof(*grown));
		if (!grown)
			return i;
		*array = grown;
		grown[i] = ~i;
	}
	for (i = 0; i < n && (*array)[i] == ~i; i++)
		;
	return i;
}

int main(void)
{
	uint64_t *array = NULL, *same;

	kit_ok(fill(&array, MANY) == MANY, "what was there stays, and there is room for each");
	same = array_more(array, MANY, sizeof(*array));
	kit_ok(same == array, "between two powers of two nothing moves");
	kit_ok(fill(&array, 3) == 3 && fill(&array, MANY) == MANY, "it may begin again");
	kit_ok(!array_more(array, SIZE_MAX / 2 + 1, 1), "a size that overflows: NULL");
	free(array);
	return kit_done();
}
