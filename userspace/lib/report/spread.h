/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest, the median and the largest of many values, in bounded memory */
#ifndef SOFTPT_REPORT_SPREAD_H
#define SOFTPT_REPORT_SPREAD_H

#include <stdint.h>

#define SPREAD_EXACT	64	/* up to as many values the median is exact */
#define SPREAD_PART_BITS 5
/* Of each power of two, where there are more values: the median is off by 1/64 at most */
#define SPREAD_PARTS	(1 << SPREAD_PART_BITS)
#define SPREAD_OCTAVES	60

/**
 * struct spread - values that were added
 * @n: how many
 * @min: the smallest
 * @max: the largest
 * @few: the values, while they are not more than SPREAD_EXACT
 * @many: how many values fell into each part of each power of two, if they are more
 */
struct spread {
	uint64_t n;
	uint64_t min;
	uint64_t max;
	uint64_t *few;
	uint64_t **many;
};

/* Octave 0 has the values below SPREAD_PARTS, one each. */
static inline unsigned int spread_octave(uint64_t value)
{
	return value < SPREAD_PARTS ? 0 : 64 - SPREAD_PART_BITS - __builtin_clzll(value);
}

static inline unsigned int spread_part(uint64_t value, unsigned int octave)
{
	return octave ? value >> (octave - 1) & (SPREAD_PARTS - 1) : value;
}

int spread_add_slow(struct spread *s, uint64_t value);

/* Return: 0 or -ENOMEM */
static inline int spread_add(struct spread *s, uint64_t value)
{
	const unsigned int octave = spread_octave(value);

	if (!s->many || !s->many[octave])
		return spread_add_slow(s, value);
	s->many[octave][spread_part(value, octave)]++;
	if (value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->n++;
	return 0;
}

/*
 * The lower one of two in the middle; 0: there are no values. It grows with each value: the median
 * of lower bounds is a lower bound of the median.
 */
uint64_t spread_median(const struct spread *s);
void spread_free(struct spread *s);

#endif /* SOFTPT_REPORT_SPREAD_H */
