/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records of a translated thread mean (Documentation/internals/translate.rst) */
#ifndef SOFTPT_SOURCE_TRANSLATE_H
#define SOFTPT_SOURCE_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/softpt.h>
#include <softpt/translate.h>

struct sim;
struct xl_runs;

/**
 * struct xl_unit - a thread of the program, and the unit that traces it
 * @runs: what its process has described
 * @sim: its unit, or NULL: none
 * @tid: the thread
 * @model: the clock counts instructions
 * @now: TSC of the last event
 * @over: TSC at which what the next record says was over; 0: not known
 * @cycles: instructions so far: the model clock
 * @ip: the instruction that waits for where it goes
 * @len: its bytes
 * @kind: SOFTPT_X86_OTHER: none does
 * @in_kernel: it is in a system call, or a signal is on its way
 * @trigger: bits of a TRIG packet that the next escape brings, behind what was done before it
 * @err: of the unit's output, latched; -EBADMSG: records that mean nothing
 * @branches: conditional ones
 */
struct xl_unit {
	struct xl_runs *runs;
	struct sim *sim;
	pid_t tid;
	bool model;
	uint64_t now;
	uint64_t over;
	uint64_t cycles;
	uint64_t ip;
	uint8_t len;
	uint8_t kind;
	bool in_kernel;
	uint8_t trigger;
	int err;
	uint64_t branches;
};

/* The thread begins at @to. */
void xl_unit_begin(struct xl_unit *u, uint64_t to, uint64_t tsc);
/**
 * xl_unit_exits() - the thread has left superblocks by these exits
 * @u: the unit
 * @from: records, in memory that the program can't write to: what is checked is what is used
 * @to: behind the last
 *
 * Return: @to, or the first record that is an escape or was not done: @u->err says why.
 */
const uint32_t *xl_unit_exits(struct xl_unit *u, const uint32_t *from, const uint32_t *to);
/* What no exit says */
void xl_unit_escape(struct xl_unit *u, const struct softpt_xl_escape *e);
/* It is gone. */
void xl_unit_end(struct xl_unit *u, uint64_t tsc);

#endif /* SOFTPT_SOURCE_TRANSLATE_H */
