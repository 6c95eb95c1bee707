// SPDX-License-Identifier: BSD-2-Clause
/*
 * TSC, CTC and ticks (uapi/softpt/ctc.h) against 128-bit arithmetic, for random ratios of
 * those that are accepted and any TSC: the CTC is the floor, the TSC of a CTC the first at
 * which it is reached, and who steps from tick to tick comes by the same.
 */
#include <softpt/ctc.h>
#include <softpt/params.h>

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

/* It has the TSC that is computed, and the fraction: what rounding up added, in 1/EAX */
static bool tick_right(const struct softpt_ticks *t, const struct softpt_tick *tick)
{
	uint64_t span = (uint64_t)t->p.ebx << t->mtc_freq;

	return tick->tsc == softpt_tsc_of_tick(t->p, t->mtc_freq, tick->index) &&
	       tick->frac == (__uint128_t)tick->tsc * t->p.eax - (__uint128_t)tick->index * span;
}

/* One is set, then the next eight; then any number of ticks further */
static bool steps_right(struct softpt_ratio p, unsigned int freq, uint64_t tsc)
{
	uint64_t first = softpt_tick_of_tsc(p, freq, tsc), n = below(1ull << below(32));
	struct softpt_ticks t;
	struct softpt_tick tick, far;
	unsigned int i;

	softpt_ticks_set(&t, p, freq);
	softpt_tick_seek(&t, &tick, first);
	if (!tick_right(&t, &tick) || tick.tsc > tsc ||
	    softpt_tsc_of_tick(p, freq, first + 1) <= tsc)
		return false;
	far = tick;
	for (i = 0; i < 8; i++) {
		softpt_tick_next(&t, &tick);
		if (tick.index != first + i + 1 || !tick_right(&t, &tick))
			return false;
	}
	softpt_tick_skip(&t, &far, n);
	return far.index == first + n && tick_right(&t, &far);
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
