/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a thread that have not returned, as its steps change them */
#ifndef SOFTPT_FLOW_CALLS_H
#define SOFTPT_FLOW_CALLS_H

#include <stdbool.h>

#include "flow/lane.h"

/* Each takes the step of @l, and tells the rows that come of it. */
void flow_calls_call(struct flow_lanes *w, struct flow_lane *l);
void flow_calls_return(struct flow_lanes *w, struct flow_lane *l);
void flow_calls_jump(struct flow_lanes *w, struct flow_lane *l);

/* A function is called at the time of @l; it is not told. */
void flow_calls_push(struct flow_lanes *w, struct flow_lane *l, struct flow_frame *frame);
/* All but the first @frames are left. */
void flow_calls_pop(struct flow_lanes *w, const struct flow_lane *l, unsigned int frames);
/* Tell that a function goes on whose call is not in the recording. */
void flow_calls_begin(struct flow_lanes *w, const struct flow_lane *l);

/*
 * Behind what was lost: where the thread is now tells which of its functions have not returned.
 * Return: whether it is in another one
 */
bool flow_calls_settle(struct flow_lanes *w, struct flow_lane *l);

#endif /* SOFTPT_FLOW_CALLS_H */
