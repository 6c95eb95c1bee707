/* SPDX-License-Identifier: BSD-2-Clause */
/* Exits that often follow each other, as one run of the engine */
#ifndef SOFTPT_SOURCE_FUSE_H
#define SOFTPT_SOURCE_FUSE_H

#include "source/runs.h"

#define XL_BATCH	256	/* runs at a time */

/**
 * struct xl_batch - runs for softpt_engine_run()
 * @run: their numbers: of @fused, or the records themselves
 * @n: how many
 * @nr: numbers are below it
 * @fused: numbers of runs
 * @len: how many exits each of @fused has
 */
struct xl_batch {
	const uint32_t *run;
	uint32_t n;
	uint32_t nr;
	uint32_t fused[XL_BATCH];
	uint8_t len[XL_BATCH];
};

/**
 * xl_fuse() - the longest runs that there are for records
 * @r: the runs
 * @from: records
 * @to: behind them
 * @known: exits that there are
 * @batch: set to runs, until there is a record that is none; to the exits themselves, where their
 *	order is such that longer runs are not worth their cost
 *
 * Makes longer runs of exits that often follow each other.
 */
void xl_fuse(struct xl_runs *r, const uint32_t *from, const uint32_t *to, uint32_t known,
	     struct xl_batch *batch);

/* Exits of the first @n runs */
uint32_t xl_batch_exits(const struct xl_batch *batch, uint32_t n);

#endif /* SOFTPT_SOURCE_FUSE_H */
