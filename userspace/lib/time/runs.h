/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of TNT packets in a row */
#ifndef SOFTPT_TIME_RUNS_H
#define SOFTPT_TIME_RUNS_H

#include <softpt/decoder.h>

/* softpt_record_run_tsc() of bits from @i on, @n of those there are */
void softpt_record_run_times(const struct softpt_record_run *run, unsigned int i, unsigned int n,
			     uint64_t *tsc);

#endif /* SOFTPT_TIME_RUNS_H */
