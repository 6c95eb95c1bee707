// SPDX-License-Identifier: BSD-2-Clause
#include "moment.h"

#include <stdlib.h>

#include "base/number.h"

#define FAR	(1ull << 56)	/* ticks that no recording lasts */

bool moment_parse(struct moment *m, const char *text)
{
	char *end;

	m->given = true;
	m->relative = *text == '+';
	if (!m->relative)
		return softpt_number_within(text, 0, UINT64_MAX, &m->tsc);
	m->after = strtod(text + 1, &end);
	return end != text + 1 && !*end && m->after >= 0;
}

/* Nanoseconds or ticks from it to a TSC */
static double from(const struct moment *m, const struct flow_printer *f, uint64_t tsc)
{
	return flow_between(f, f->begin, tsc) - m->after * (f->ticks ? 1 : 1000);
}

/* Times grow with the TSC: the place is halved. */
uint64_t moment_first(const struct moment *m, const struct flow_printer *f)
{
	uint64_t low = 0, high = FAR;

	if (!m->relative)
		return m->tsc;
	while (low < high) {
		const uint64_t mid = low + (high - low) / 2;

		if (from(m, f, f->begin + mid) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return f->begin + low;
}

uint64_t moment_last(const struct moment *m, const struct flow_printer *f)
{
	uint64_t low = 0, high = FAR;

	if (!m->relative)
		return m->tsc;
	while (low < high) {
		const uint64_t mid = low + (high - low + 1) / 2;

		if (from(m, f, f->begin + mid) > 0)
			high = mid - 1;
		else
			low = mid;
	}
	return f->begin + low;
}
