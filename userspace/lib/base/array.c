// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_more(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return n > SIZE_MAX / 2 ? NULL : reallocarray(array, n ? 2 * n : 1, size);
}
