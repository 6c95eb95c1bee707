/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of this machine, as traces have it */
#ifndef SOFTPT_BASE_TSC_H
#define SOFTPT_BASE_TSC_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/* The TSC; CLOCK_MONOTONIC_RAW, in ns, where a machine has none */
static inline uint64_t tsc_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

/* Seconds, on a clock that nobody sets */
static inline double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#endif /* SOFTPT_BASE_TSC_H */
