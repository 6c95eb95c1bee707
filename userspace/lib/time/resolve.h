/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of the records of an interval, once both its ends are known */
#ifndef SOFTPT_TIME_RESOLVE_H
#define SOFTPT_TIME_RESOLVE_H

#include "time/interval.h"

uint64_t softpt_time_may_miss(const struct softpt_time *t);
uint64_t softpt_time_reach(const struct softpt_time *t);
void softpt_resolve(struct softpt_time *t, const struct softpt_anchor *to, enum softpt_end end);
uint64_t softpt_time_of_bit(const struct softpt_time *t, const struct softpt_record *rec,
			    unsigned int i);
void softpt_times_of_bits(const struct softpt_time *t, const struct softpt_record *rec,
			  unsigned int i, unsigned int n, uint64_t *tsc);

#endif /* SOFTPT_TIME_RESOLVE_H */
