/* SPDX-License-Identifier: BSD-2-Clause */
/* What a translated process has executed, counted: no unit, no packets */
#ifndef SOFTPT_SOURCE_TALLY_H
#define SOFTPT_SOURCE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

/* What is counted */
enum xl_count {
	XL_INSNS,		/* a repeated one is one */
	XL_CONDITIONAL,		/* branches */
	XL_TAKEN,		/* of XL_CONDITIONAL */
	XL_JUMPS,		/* direct */
	XL_CALLS,		/* direct */
	XL_RETURNS,		/* near */
	XL_INDIRECT_JUMPS,	/* through a value */
	XL_INDIRECT_CALLS,	/* through a value */
	XL_SYSCALLS,		/* where they begin */
	XL_COUNTS
};

struct xl_tally;

/* @process: its area; the program may write anything there. Return: NULL without memory */
struct xl_tally *xl_tally_new(const struct softpt_xl_process *process);
void xl_tally_free(struct xl_tally *t);

/**
 * xl_tally_records() - records of one of its threads
 * @t: the tally
 * @from: records, in memory that the program can't write to
 * @to: behind the last
 * @last: the thread's record before; set to the last of these. SOFTPT_XL_ESCAPE: there is none
 *
 * Return: 0; -EBADMSG: records that mean nothing.
 */
int xl_tally_records(struct xl_tally *t, const uint32_t *from, const uint32_t *to,
		     uint32_t *last);

/* Add what was counted so far to @sum, by enum xl_count */
void xl_tally_add(const struct xl_tally *t, uint64_t sum[XL_COUNTS]);

#endif /* SOFTPT_SOURCE_TALLY_H */
