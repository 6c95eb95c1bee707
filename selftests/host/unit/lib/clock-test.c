// SPDX-License-Identifier: BSD-2-Clause
/* How long a TSC tick is: two measurements agree with the other clock, and a bad one says 1. */
#include <time.h>

#include "userspace/lib/sideband/clock.h"
#include "selftests/kit/kit.h"

static uint64_t ns_of(uint64_t ticks, uint32_t mult, uint16_t shift)
{
	return (__uint128_t)ticks * mult >> shift;
}

static void test_measure(void)
{
	const struct timespec rest = { .tv_nsec = 30000000 };
	struct moment from = moment_now(), to;
	uint32_t mult = 0;
	uint16_t shift = 0;
	uint64_t ns, real;

	clock_measure(&from, &mult, &shift);
	kit_ok(mult && shift <= 32 && moment_now().ns - from.ns >= CLOCK_MEASURE_NS,
	       "as long as it takes");
	nanosleep(&rest, NULL);
	to = moment_now();
	ns = ns_of(to.tsc - from.tsc, mult, shift);
	real = to.ns - from.ns;
	kit_ok(ns > real - real / 100 && ns < real + real / 100,
	       "%u ns are the other clock's %u within 1 %%", (unsigned int)ns, (unsigned int)real);
}

/* The TSC of another machine, or one that began anew */
static void test_back(void)
{
	struct moment from = moment_now();
	uint32_t mult = 0;
	uint16_t shift = 1;

	from.tsc += 1ull << 60;
	clock_measure(&from, &mult, &shift);
	kit_ok(mult == 1 && !shift, "a TSC that goes back has ticks");
}

int main(void)
{
	test_measure();
	test_back();
	return kit_done();
}
