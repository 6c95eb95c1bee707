/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_FLOW_BLOCKBRANCH_H
#define SOFTPT_FLOW_BLOCKBRANCH_H

#include "flow/blockstate.h"

/* The branch at the end of the block, which is counted. Return: whether that made a step */
bool block_end(struct block_walk *w, struct flow_step *step);

#endif /* SOFTPT_FLOW_BLOCKBRANCH_H */
