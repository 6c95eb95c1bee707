/* SPDX-License-Identifier: BSD-2-Clause */
/* The crashes that a perf.data file tells of, until it is ended */
#ifndef SOFTPT_LIB_PERFCRASH_H
#define SOFTPT_LIB_PERFCRASH_H

#include <stddef.h>

#include <softpt/perf.h>

#define PERFCRASH_MAX	256	/* of a file: the newest are kept */

/* All zero: none */
struct perfcrashes {
	struct softpt_perf_crash *v;
	size_t n;	/* so far, or more than are kept */
};

/* Return: 0 or -ENOMEM */
int perfcrash_add(struct perfcrashes *c, const struct softpt_perf_crash *crash);
/* How many are kept */
size_t perfcrash_kept(const struct perfcrashes *c);
void perfcrash_free(struct perfcrashes *c);

#endif /* SOFTPT_LIB_PERFCRASH_H */
