/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a perf.data file that the next file begins with, too */
#ifndef SOFTPT_LIB_PERFKEEP_H
#define SOFTPT_LIB_PERFKEEP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/buf.h"

/* All zero: none */
struct perfkeep {
	struct perfbuf records;	/* as they are in the file */
	size_t kept;		/* what was left the last time */
};

/* From so many bytes on the older half of the context switches is dropped: a day has too many. */
#define PERFKEEP_MAX	(64u << 20)

/* One more. Return: false without memory */
bool perfkeep_add(struct perfkeep *k, const struct perf_event_header *rec);

/*
 * Which task a CPU executed is of no use any more, but for the last of each CPU: what
 * comes is later than all of them.
 */
void perfkeep_drop_switches(struct perfkeep *k);

void perfkeep_free(struct perfkeep *k);

#endif /* SOFTPT_LIB_PERFKEEP_H */
