/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_FLOW_BLOCKTELL_H
#define SOFTPT_FLOW_BLOCKTELL_H

#include "flow/blockstate.h"

/* The last instruction, and the block that a step ends there */
void block_tell_last(struct block_walk *w, struct flow_step *step);

/* When it was: at the next record, which is past; or between the last and the next */
void block_at_record(struct block_walk *w, struct flow_step *step);
void block_between(struct block_walk *w, struct flow_step *step);

/* What follows returns whether it made a step. */

/* The last instruction is one. */
bool block_tell_insn(struct block_walk *w, struct flow_step *step);

/* So is the branch that waits, where every instruction is one. */
bool block_tell_branch(struct block_walk *w, struct flow_step *step);

/* The path is not known any more. */
bool block_lose(struct block_walk *w, struct flow_step *step, const char *why);

/* The record that comes next is not what the code needs, or there is none. */
bool block_fail(struct block_walk *w, struct flow_step *step);

/* The next record is what happened. @at: where tracing ends; 0: behind a branch */
bool block_begin(struct block_walk *w, struct flow_step *step);
bool block_disable(struct block_walk *w, struct flow_step *step, uint64_t at);
bool block_interrupt(struct block_walk *w, struct flow_step *step, uint64_t to);
bool block_overflow(struct block_walk *w, struct flow_step *step);
bool block_ptwrite(struct block_walk *w, struct flow_step *step);

#endif /* SOFTPT_FLOW_BLOCKTELL_H */
