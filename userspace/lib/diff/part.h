/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the paths of two recordings part */
#ifndef SOFTPT_DIFF_PART_H
#define SOFTPT_DIFF_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diff/place.h"
#include "diff/side.h"

/**
 * struct diff_end - what a thread did where its path parts from the other's
 * @ended: nothing more
 * @event: the first step that the other did not do
 * @instructions: executed up to that step, since the last one of both
 * @to: where it led
 * @branched: @from and @target are known
 * @from: the first branch that the other did not take so
 * @target: where it led
 */
struct diff_end {
	bool ended;
	enum softpt_flow_event event;
	uint64_t instructions;
	struct diff_place to;
	bool branched;
	struct diff_place from;
	struct diff_place target;
};

/**
 * struct diff_part - where the paths of two threads part
 * @thread: their number, in either side's order
 * @steps: both did the same
 * @stack: functions that had not returned then, the first one first
 * @depth: how many of them
 * @end: what each did
 */
struct diff_part {
	size_t thread;
	uint64_t steps;
	struct diff_place *stack;
	size_t depth;
	struct diff_end end[2];
};

struct diff_parts {
	struct diff_part *part;
	size_t n;
};

/**
 * diff_parts_find() - find where the paths of threads part
 * @side: two recordings, each walked by diff_side_walk()
 * @parts: filled in: threads whose paths part; one that only one recording has is not in it
 *
 * The recordings are walked again, no further than to the last place where paths part.
 *
 * Return: 0 or -ENOMEM.
 */
int diff_parts_find(const struct diff_side side[2], struct diff_parts *parts);
void diff_parts_free(struct diff_parts *parts);

#endif /* SOFTPT_DIFF_PART_H */
