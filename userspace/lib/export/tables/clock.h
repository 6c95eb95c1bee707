/* SPDX-License-Identifier: BSD-2-Clause */
/* How the TSC and perf's clock follow from each other, for who computes with integers of 64 bits */
#ifndef SOFTPT_EXPORT_TABLES_CLOCK_H
#define SOFTPT_EXPORT_TABLES_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>
#include <softpt/perf.h>

/**
 * struct perf_clock - ns = @zero + (tsc * @mult >> @shift)
 * @known: it is, and the fraction of 1 << @shift ticks times @mult has no more than 63 bits
 * @zero: perf's time of TSC 0, which may be negative
 * @mult: not 0
 * @shift: 32 at most
 */
struct perf_clock {
	bool known;
	int64_t zero;
	uint64_t mult;
	unsigned int shift;
};

/* @perf: the recording; of one that has no clock but the TSC it is not known */
void perf_clock_of(const struct softpt_perf *perf, struct perf_clock *clock);
/* Ticks in a second; 0: not known */
uint64_t perf_clock_frequency(const struct perf_clock *clock);

/*
 * When perf's clock showed @ns: the TSC may have been any of several then.
 * Return: false: before TSC 0, where records are whose time nobody knows
 */
bool perf_clock_tsc(const struct softpt_perf *perf, uint64_t ns, struct softpt_flow_time *when);

#endif /* SOFTPT_EXPORT_TABLES_CLOCK_H */
