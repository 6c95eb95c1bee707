/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the branches of a stride */
#ifndef SOFTPT_FLOW_STRIDE_ROWS_H
#define SOFTPT_FLOW_STRIDE_ROWS_H

#include "flow/lane.h"

/*
 * Take those of a lane's step that come before the step of @next, which may be NULL; @l->before is
 * the time of the last one. Return: whether that was all; else @l->when is the time of the next one
 */
bool flow_stride_take(struct flow_lanes *w, struct flow_lane *l, const struct flow_lane *next);

/* Find the time of the first one. */
void flow_stride_begin(struct flow_lane *l);

#endif /* SOFTPT_FLOW_STRIDE_ROWS_H */
