/* SPDX-License-Identifier: BSD-2-Clause */
/* Strides of our own walk */
#ifndef SOFTPT_FLOW_STRIDE_WALK_H
#define SOFTPT_FLOW_STRIDE_WALK_H

#include "flow/blockstate.h"

/*
 * Outcomes that come next are past, as long as nothing lies between them, and the code knows its
 * way. None of their branches is a step.
 */
void block_pass_strides(struct block_walk *w);

/* The branches of a stride, which is next, are one step. Return: whether there is one */
bool block_stride(struct block_walk *w, struct flow_step *step);

/* Behind that step, before the next one is looked for */
void block_end_stride(struct block_walk *w);

/* As flow_walk_keep() and flow_walk_cut(), of that step */
void block_walk_keep(struct block_walk *w);
void block_walk_cut(struct block_walk *w);

#endif /* SOFTPT_FLOW_STRIDE_WALK_H */
