// SPDX-License-Identifier: BSD-2-Clause
/*
 * TSC, CTC and ticks (uapi/softpt/ctc.h) against 128-bit arithmetic, for random ratios of
 * those that are accepted and any TSC: the CTC is the floor, the TSC of a CTC the first at
 * which it is reached, and a decoder that steps from tick to tick comes by the same.
 */
#include <softpt/params.h>

#include "userspace/lib/time/timeline.h"
#include "selftests/kit/kit.h"

#define CASES	200000
#define LAST	(0xffull << 56)		/* later times are refused */

static uint64_t state = 1;

static uint64_t below(uint64_t n)
{
	return kit_random(&state) % n;
}

/* Small terms, large ones, and those whose quotient is near the limits */
static struct softpt_ratio random_ratio(void)
{
	uint32_t eax = 1 + below(1ull << (1 + below(27)));
	uint64_t most = (uint64_t)eax * SOFTPT_RATIO_MAX;
	uint64_t ebx = below(4) ? eax + below(most - eax + 1) : below(2) ? eax : most;

	if (ebx > SOFTPT_CLOCK_TERM_MAX)
		ebx = SOFTPT_CLOCK_TERM_MAX;
	return (struct softpt_ratio){ ebx, eax };
}

static uint64_t muldiv(uint64_t a, uint32_t b, uint32_t more, uint32_t c)
{
	return ((__uint128_t)a * b + more) / c;
}

static bool ctc_right(struct softpt_ratio p, uint64_t tsc)
{
	uint64_t ctc = softpt_ctc_of_tsc(p, tsc), first = softpt_tsc_of_ctc(p, ctc);

	return ctc == muldiv(tsc, p.eax, 0, p.ebx) && first <= tsc &&
	       first == muldiv(ctc, p.ebx, p.eax - 1, p.eax) &&
	       softpt_ctc_of_tsc(p, first) == ctc &&
	       (!first || softpt_ctc_of_tsc(p, first - 1) < ctc) &&
	       tsc - first < SOFTPT_RATIO_MAX;
}

/* What rounding up added to a tick's TSC, in 1/EAX */
static uint32_t frac_of(const struct softpt_time *t, uint64_t span)
{
	return (__uint128_t)t->tick_tsc * t->p.eax - (__uint128_t)t->tick * span;
}

/* As timeline.c sets a tick, then steps */
static bool steps_right(struct softpt_ratio p, unsigned int freq, uint64_t tsc)
{
	uint64_t span = (uint64_t)p.ebx << freq, tick = softpt_tick_of_tsc(p, freq, tsc);
	struct softpt_time t = {
		.p = p, .tick = tick, .tick_tsc = softpt_tsc_of_tick(p, freq, tick),
		.span = span / p.eax, .rem = span % p.eax,
	};
	unsigned int i;

	t.frac = frac_of(&t, span);
	if (t.tick_tsc > tsc || softpt_tsc_of_tick(p, freq, tick + 1) <= tsc)
		return false;
	for (i = 0; i < 8; i++) {
		softpt_time_step(&t);
		if (t.tick_tsc != softpt_tsc_of_tick(p, freq, t.tick) ||
		    frac_of(&t, span) != t.frac)
			return false;
	}
	return true;
}

int main(void)
{
	unsigned int ctc_wrong = 0, steps_wrong = 0, i;

	for (i = 0; i < CASES; i++) {
		struct softpt_ratio p = random_ratio();
		uint64_t tsc = below(LAST >> below(56));

		ctc_wrong += !ctc_right(p, tsc);
		steps_wrong += !steps_right(p, below(16), tsc >> 8);
	}
	kit_ok(!ctc_wrong, "CTC is the floor, and TSC its inverse, in all but %u of %u cases",
	       ctc_wrong, CASES);
	kit_ok(!steps_wrong, "ticks stepped are ticks computed, in all but %u of %u cases",
	       steps_wrong, CASES);
	return kit_done();
}
