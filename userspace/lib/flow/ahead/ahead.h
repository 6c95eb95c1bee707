/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream that other threads walk ahead, cut at PSBs into pieces. A walk that comes to a piece
 * makes its first steps, too. As soon as both are known to make the same ones, the steps are those
 * of the piece, and behind its end its walk goes on. So what is told is what one walk would tell.
 */
#ifndef SOFTPT_FLOW_AHEAD_AHEAD_H
#define SOFTPT_FLOW_AHEAD_AHEAD_H

#include "flow/ahead/crew.h"
#include "flow/process.h"
#include "flow/step.h"
#include "flow/walk.h"

struct flow_ahead;

/* Of a stream whose steps are FLOW_CALLS. Return: NULL without memory */
struct flow_ahead *flow_ahead_new(struct flow_crew *crew, const struct input *in,
				  const struct input_stream *stream);
void flow_ahead_free(struct flow_ahead *a);

/*
 * Who runs there, with what code: that is so, and no code or name changes, up to @until as the file
 * counts time. No piece was walked since flow_ahead_settle() if it is another one. Where @walk is
 * not at a piece, it is told.
 */
void flow_ahead_set(struct flow_ahead *a, struct flow_walk *walk, struct flow_process *process,
		    uint64_t until);

/* The same behind flow_ahead_settle(), where the lane's walk goes on with what it has */
void flow_ahead_go_on(struct flow_ahead *a, struct flow_process *process, uint64_t until);

/* No thread looks at code or names any more: they may change. */
void flow_ahead_settle(struct flow_ahead *a);

/* As flow_walk_next(), with the step before in @step; @walk may be another one behind that. */
bool flow_ahead_next(struct flow_ahead *a, struct flow_walk **walk, struct flow_step *step);

#endif /* SOFTPT_FLOW_AHEAD_AHEAD_H */
