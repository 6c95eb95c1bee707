// SPDX-License-Identifier: GPL-2.0-only
/* tsc-khz: print how fast this machine's TSC runs, in kHz, however busy the machine is. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES	100

struct instant {
	uint64_t tsc;
	uint64_t ns;
};

/* Both clocks at once: the attempt that took the shortest */
static struct instant now(void)
{
	uint64_t from, took, least = UINT64_MAX;
	struct instant best = { 0 };
	struct timespec ts;
	int i;

	for (i = 0; i < TRIES; i++) {
		from = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
		took = __rdtsc() - from;
		if (took >= least)
			continue;
		least = took;
		best.tsc = from + took / 2;
		best.ns = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct instant from = now(), to;

	nanosleep(&pause, NULL);
	to = now();
	printf("%.0f\n", (to.tsc - from.tsc) * 1e6 / (to.ns - from.ns));
	return 0;
}
