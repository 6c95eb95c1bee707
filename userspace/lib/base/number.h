/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in text: decimal, or hexadecimal with 0x. No sign, no blank, no octal. */
#ifndef SOFTPT_LIB_NUMBER_H
#define SOFTPT_LIB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline int softpt_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/*
 * Read a number from *@text and move *@text behind it. False: there is none, or it
 * does not fit 64 bits.
 */
static inline bool softpt_number(const char **text, uint64_t *value)
{
	const char *p = *text;
	uint64_t v = 0;
	int base = 10;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	if (softpt_digit(*p) >= base)
		return false;
	for (; softpt_digit(*p) < base; p++) {
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)softpt_digit(*p), &v))
			return false;
	}
	*text = p;
	*value = v;
	return true;
}

/* The whole text is a number within min..max */
static inline bool softpt_number_within(const char *text, uint64_t min, uint64_t max,
					uint64_t *value)
{
	return softpt_number(&text, value) && !*text && *value >= min && *value <= max;
}

/* The whole text is a time that is not 0: a number and ns, us, ms, s or m. @ns: nanoseconds */
static inline bool softpt_nanoseconds(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60000000000 },
	};
	uint64_t value;
	size_t i;

	if (!softpt_number(&text, &value))
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].unit))
			return !__builtin_mul_overflow(value, units[i].ns, ns) && *ns;
	return false;
}

#endif /* SOFTPT_LIB_NUMBER_H */
