// SPDX-License-Identifier: BSD-2-Clause
#include <time.h>

#include "base/tsc.h"
#include "sideband/clock.h"

struct moment moment_now(void)
{
	struct moment best = { 0 };
	uint64_t before, after, width = UINT64_MAX;
	struct timespec t;
	int i;

	for (i = 0; i < 5; i++) {
		before = tsc_now();
		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		after = tsc_now();
		if (after - before >= width)
			continue;
		width = after - before;
		best.tsc = before + width / 2;
		best.ns = (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	}
	return best;
}

/* A tick that is not shorter than 2^-32 ns, nor longer than 2^31 */
void clock_measure(const struct moment *from, uint32_t *mult, uint16_t *shift)
{
	struct moment now = moment_now();
	struct timespec rest = { 0 };
	double tick;

	if (now.ns < from->ns + CLOCK_MEASURE_NS) {
		rest.tv_nsec = from->ns + CLOCK_MEASURE_NS - now.ns;
		nanosleep(&rest, NULL);
		now = moment_now();
	}
	*mult = 1;
	*shift = 0;
	if (now.tsc <= from->tsc)
		return;
	tick = (double)(now.ns - from->ns) / (now.tsc - from->tsc);
	for (; tick < 1u << 31 && *shift < 32; ++*shift)
		tick *= 2;
	*mult = tick;
}
