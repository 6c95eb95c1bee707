/* SPDX-License-Identifier: BSD-2-Clause */
/* Where control comes to amid a function, without the return of what that function called */
#ifndef SOFTPT_FLOW_LAND_H
#define SOFTPT_FLOW_LAND_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/process.h"
#include "flow/step.h"

/* What a jump does */
enum flow_move {
	FLOW_MOVE_STAYS = 1,	/* in its function */
	FLOW_MOVE_ENTERS,	/* another one, at its begin */
	FLOW_MOVE_LANDS,	/* amid another one: longjmp, an exception, an end that is shared */
};

/*
 * What a jump does that was taken, and whether a call is to a stub, by the names of the process. It
 * is noted where that is possible, for it takes longer than the step. What a compiler split off as
 * NAME.cold is a part of NAME.
 */
enum flow_move flow_note_jump(const struct flow_step *step, struct symbols *symbols);
bool flow_note_call(const struct flow_step *step, struct symbols *symbols);

/* Note what can be, whoever takes the step. */
void flow_note(const struct flow_step *step, struct symbols *symbols);

/*
 * How many functions a thread still has when it comes to @to: those up to the newest that has @to
 * in it. 0: none of them has
 */
unsigned int flow_land(const struct softpt_flow_thread *t, uint64_t to);

#endif /* SOFTPT_FLOW_LAND_H */
