// SPDX-License-Identifier: BSD-2-Clause
#include "export/tables/clock.h"

#define SHIFT	32	/* not less than perf's */
#define TSC_END	(1ull << 60)	/* years of ticks */

static uint64_t since_zero(const struct softpt_perf *perf, uint64_t tsc)
{
	return softpt_perf_time(perf, tsc) - softpt_perf_time(perf, 0);
}

/* As SQL has to do it */
static uint64_t compute(const struct perf_clock *clock, uint64_t tsc)
{
	const uint64_t rest = tsc & ((1ull << clock->shift) - 1);

	return (tsc >> clock->shift) * clock->mult + (rest * clock->mult >> clock->shift);
}

/* What perf multiplies by is below 1 << 32, so that this many ticks tell it. */
void perf_clock_of(const struct softpt_perf *perf, struct perf_clock *clock)
{
	const uint64_t odd = TSC_END - 1;

	*clock = (struct perf_clock){
		.zero = softpt_perf_time(perf, 0), .mult = since_zero(perf, 1ull << SHIFT),
		.shift = SHIFT,
	};
	for (; clock->shift && !(clock->mult & 1); clock->shift--)
		clock->mult >>= 1;
	if (!clock->mult || (clock->mult == 1 && !clock->shift))
		return;
	clock->known = !(clock->mult >> (63 - clock->shift)) &&
		       compute(clock, odd) == since_zero(perf, odd);
}

uint64_t perf_clock_frequency(const struct perf_clock *clock)
{
	return clock->known ? 1e9 * (1ull << clock->shift) / clock->mult : 0;
}

/* The first TSC, if there is one, that is not before @ns, which is counted from TSC 0 on */
static uint64_t first_tsc(const struct softpt_perf *perf, uint64_t ns)
{
	uint64_t low = 0, high = TSC_END;

	while (low < high) {
		const uint64_t middle = (low + high) / 2;

		if (since_zero(perf, middle) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool perf_clock_tsc(const struct softpt_perf *perf, uint64_t ns, struct softpt_flow_time *when)
{
	const uint64_t zero = softpt_perf_time(perf, 0);
	uint64_t behind;

	if ((int64_t)(ns - zero) < 0)
		return false;
	when->tsc = first_tsc(perf, ns - zero);
	behind = first_tsc(perf, ns - zero + 1);
	when->min = when->tsc;
	when->max = behind > when->tsc ? behind - 1 : when->tsc;
	when->bounded = true;
	return true;
}
