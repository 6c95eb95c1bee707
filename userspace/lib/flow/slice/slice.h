/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a recording: which streams are walked for it, and from where on */
#ifndef SOFTPT_FLOW_SLICE_SLICE_H
#define SOFTPT_FLOW_SLICE_SLICE_H

#include <stdbool.h>

#include "flow/lane.h"
#include "flow/slice/index.h"

/*
 * Streams whose rows are asked for, and those of threads that their processes were forked of: a
 * child goes on in the calls of its parent.
 *
 * Return: for each stream whether it is needed, for free(); NULL: all are, or without memory.
 */
bool *flow_slice_needs(const struct flow_slice *slice, const struct input *in);

/* Whether the index says that a stream has ended before */
bool flow_slice_is_past(const struct flow_slice *slice, unsigned int stream);

/* A new lane begins as near before the slice as the index knows. */
void flow_slice_begin(const struct flow_slice *slice, const struct input *in,
		      struct flow_lane *l, unsigned int stream);

/* Its thread is known now. Return: 1: it is amid a program, nothing is to be told; 0; -ENOMEM */
int flow_slice_come(const struct flow_slice *slice, struct flow_lane *l);

/* The walk of the lane has gone on, up to the step that comes next. */
void flow_slice_pass(const struct flow_slice *slice, struct flow_lane *l);

#endif /* SOFTPT_FLOW_SLICE_SLICE_H */
