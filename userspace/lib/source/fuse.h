/* SPDX-License-Identifier: BSD-2-Clause */
/* Exits that often follow each other, as one run of the engine */
#ifndef SOFTPT_SOURCE_FUSE_H
#define SOFTPT_SOURCE_FUSE_H

#include "source/runs.h"

/**
 * xl_fuse() - the longest runs that there are for records
 * @r: the runs
 * @from: records
 * @to: behind them
 * @known: exits that there are
 * @out: set to the numbers of runs, until there is a record that is none
 * @len: set to how many records each of them is
 * @n: entries of @out and @len
 *
 * Makes longer ones of those that come often.
 *
 * Return: how many runs.
 */
uint32_t xl_fuse(struct xl_runs *r, const uint32_t *from, const uint32_t *to, uint32_t known,
		 uint32_t *out, uint8_t *len, uint32_t n);

#endif /* SOFTPT_SOURCE_FUSE_H */
