// SPDX-License-Identifier: BSD-2-Clause
#include "report/spread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FEW_FIRST	4	/* values that @few has room for at first */

/* The middle of a part */
static uint64_t value_of(unsigned int octave, unsigned int part)
{
	if (!octave)
		return part;
	return ((uint64_t)(SPREAD_PARTS + part) << (octave - 1)) + ((1ull << (octave - 1)) >> 1);
}

static int count(struct spread *s, uint64_t value)
{
	const unsigned int octave = spread_octave(value);
	uint64_t **parts = &s->many[octave];

	if (!*parts)
		*parts = calloc(SPREAD_PARTS, sizeof(**parts));
	if (!*parts)
		return -ENOMEM;
	(*parts)[spread_part(value, octave)]++;
	return 0;
}

static int begin_count(struct spread *s)
{
	int err = 0;
	uint64_t i;

	s->many = calloc(SPREAD_OCTAVES, sizeof(*s->many));
	if (!s->many)
		return -ENOMEM;
	for (i = 0; i < s->n && !err; i++)
		err = count(s, s->few[i]);
	free(s->few);
	s->few = NULL;
	return err;
}

static bool is_full(uint64_t n)
{
	return !n || (n >= FEW_FIRST && !(n & (n - 1)));
}

static int keep(struct spread *s, uint64_t value)
{
	uint64_t *grown;

	if (is_full(s->n)) {
		grown = reallocarray(s->few, s->n ? 2 * s->n : FEW_FIRST, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->few = grown;
	}
	s->few[s->n] = value;
	return 0;
}

int spread_add_slow(struct spread *s, uint64_t value)
{
	int err = 0;

	if (s->n == SPREAD_EXACT && !s->many)
		err = begin_count(s);
	if (!err)
		err = s->many ? count(s, value) : keep(s, value);
	if (err)
		return err;
	if (!s->n || value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->n++;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t median_of_few(const struct spread *s)
{
	uint64_t sorted[SPREAD_EXACT];

	memcpy(sorted, s->few, s->n * sizeof(*sorted));
	qsort(sorted, s->n, sizeof(*sorted), by_value);
	return sorted[(s->n - 1) / 2];
}

static uint64_t within(const struct spread *s, uint64_t value)
{
	if (value < s->min)
		return s->min;
	return value > s->max ? s->max : value;
}

static uint64_t median_of_many(const struct spread *s)
{
	uint64_t before = 0;
	unsigned int i, k;

	for (i = 0; i < SPREAD_OCTAVES; i++)
		for (k = 0; s->many[i] && k < SPREAD_PARTS; k++) {
			before += s->many[i][k];
			if (before > (s->n - 1) / 2)
				return within(s, value_of(i, k));
		}
	return s->max;
}

uint64_t spread_median(const struct spread *s)
{
	if (!s->n)
		return 0;
	return s->many ? median_of_many(s) : median_of_few(s);
}

void spread_free(struct spread *s)
{
	unsigned int i;

	for (i = 0; s->many && i < SPREAD_OCTAVES; i++)
		free(s->many[i]);
	free(s->many);
	free(s->few);
	*s = (struct spread){ 0 };
}
