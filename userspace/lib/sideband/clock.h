/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a TSC tick is, where the kernel does not tell */
#ifndef SOFTPT_SIDEBAND_CLOCK_H
#define SOFTPT_SIDEBAND_CLOCK_H

#include <stdint.h>

/**
 * struct moment - one moment by two clocks
 * @tsc: the TSC
 * @ns: CLOCK_MONOTONIC_RAW
 */
struct moment {
	uint64_t tsc;
	uint64_t ns;
};

/* Now, as nearly as a few tries have it: within 100 ns where nobody is in the way */
struct moment moment_now(void);

/*
 * Nanoseconds of so many ticks are ticks * mult >> shift, as both clocks went on since a moment. It
 * is waited for until that is CLOCK_MEASURE_NS ago: 100 ns more or less are 1 in 50,000 then.
 */
#define CLOCK_MEASURE_NS	5000000
void clock_measure(const struct moment *from, uint32_t *mult, uint16_t *shift);

#endif /* SOFTPT_SIDEBAND_CLOCK_H */
