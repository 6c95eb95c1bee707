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
struct xl_unit;

#define XL_MARKS	8	/* of a record, at most: further ones are told with the last */

#define XL_STEP_END	UINT16_MAX	/* behind all steps of an escape */

/**
 * struct xl_mark - a trigger event in a record
 * @bits: of its TRIG packet; 0: there is none to be
 * @psb: a PSB+ comes with it
 * @behind: when the step was done; else when the thread had come there
 * @step: which of the record; XL_STEP_END: behind all, where the thread leaves for the kernel
 */
struct xl_mark {
	uint8_t bits;
	bool psb;
	bool behind;
	uint16_t step;
};

/**
 * struct xl_calls - which calls of functions are recorded, of all threads together
 * @every: one of so many; 0: each
 * @most: so many; 0: all
 * @begun: calls so far
 * @taken: of these are or were recorded
 * @open: of these are not over
 * @over: called when a call that was recorded is over, and nothing is traced any more; or NULL:
 *	@sim may be another when it returns
 */
struct xl_calls {
	uint64_t every;
	uint64_t most;
	uint64_t begun;
	uint64_t taken;
	uint64_t open;
	void (*over)(struct xl_unit *u);
};

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
 * @mark: trigger events of the next record, in order
 * @nr_marks: how many; those that were not written are dropped with the record
 * @late: behind a branch of which it is not known yet where it goes: trigger events
 * @calls: which calls are recorded; NULL: no call is waited for
 * @outside: it is in no call that is recorded: nothing is traced
 * @in_call: it is in a call, recorded or not
 * @inside: RSP at the entry of that
 * @entered: TSC when that began
 * @numbers: numbers of system calls are told
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
	struct xl_mark mark[XL_MARKS];
	unsigned int nr_marks;
	struct xl_mark late;
	struct xl_calls *calls;
	bool outside;
	bool in_call;
	uint64_t inside;
	uint64_t entered;
	bool numbers;
	int err;
	uint64_t branches;
};

/* The thread begins at @to; if it is outside, nothing is traced until a door is come to. */
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
