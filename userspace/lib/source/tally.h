/* SPDX-License-Identifier: BSD-2-Clause */
/* What a translated process has executed, counted: no unit, no packets */
#ifndef SOFTPT_SOURCE_TALLY_H
#define SOFTPT_SOURCE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

/**
 * struct xl_counts - instructions, and what they are
 * @insns: all; a repeated one is one
 * @conditional: branches
 * @taken: of @conditional
 * @jumps: direct
 * @calls: direct
 * @returns: near
 * @indirect_jumps: through a value
 * @indirect_calls: through a value
 * @syscalls: where they begin
 */
struct xl_counts {
	uint64_t insns;
	uint64_t conditional;
	uint64_t taken;
	uint64_t jumps;
	uint64_t calls;
	uint64_t returns;
	uint64_t indirect_jumps;
	uint64_t indirect_calls;
	uint64_t syscalls;
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

/* Add what was counted so far */
void xl_tally_add(struct xl_tally *t, struct xl_counts *sum);

#endif /* SOFTPT_SOURCE_TALLY_H */
