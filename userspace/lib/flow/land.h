/* SPDX-License-Identifier: BSD-2-Clause */
/* Where control comes to amid a function, without the return of what that function called */
#ifndef SOFTPT_FLOW_LAND_H
#define SOFTPT_FLOW_LAND_H

#include <stdint.h>

#include "flow/process.h"

/* What a jump does */
enum flow_move {
	FLOW_MOVE_STAYS = 1,	/* in its function */
	FLOW_MOVE_ENTERS,	/* another one, at its begin */
	FLOW_MOVE_LANDS,	/* amid another one: longjmp, an exception, an end that is shared */
};

/* A jump of a thread. What a compiler split off as NAME.cold is a part of NAME. */
enum flow_move flow_move_of(const struct softpt_flow_thread *t, uint64_t from, uint64_t to);

/*
 * How many functions a thread still has when it comes to @to: those up to the newest that has @to
 * in it. 0: none of them has
 */
unsigned int flow_land(const struct softpt_flow_thread *t, uint64_t to);

#endif /* SOFTPT_FLOW_LAND_H */
