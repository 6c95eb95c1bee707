/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_FLOW_AHEAD_CUT_H
#define SOFTPT_FLOW_AHEAD_CUT_H

#include <stdint.h>

#include "input/input.h"

/**
 * struct flow_cut - where a piece begins
 * @offset: of a PSB; the end of the stream: there is none
 * @tsc: what its PSB+ says: 56 bits
 */
struct flow_cut {
	uint64_t offset;
	uint64_t tsc;
};

/*
 * The first PSB from an offset on that a walk can begin at, and knows there what any other one
 * does: the PSB+ says where the program is, in which mode, and when.
 */
void flow_cut_find(const struct input_stream *stream, uint64_t from, struct flow_cut *cut);

#endif /* SOFTPT_FLOW_AHEAD_CUT_H */
