/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow one by one */
#ifndef SOFTPT_BASE_ARRAY_H
#define SOFTPT_BASE_ARRAY_H

#include <stddef.h>

/**
 * array_more() - room for one more
 * @array: as this function returned it before; NULL: the first is to come
 * @n: how many there are
 * @size: bytes of one
 *
 * An array has room for the next power of two from @n on, so that nobody need remember it.
 *
 * Return: the array, which may be elsewhere now; NULL without memory: @array is as it was.
 */
void *array_more(void *array, size_t n, size_t size);

#endif /* SOFTPT_BASE_ARRAY_H */
