/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of all threads, in the order of time */
#ifndef SOFTPT_FLOW_PATH_H
#define SOFTPT_FLOW_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "base/error.h"
#include "flow/slice/index.h"
#include "flow/stride/stride.h"
#include "input/input.h"

/**
 * struct flow_path - what to walk, and who is told
 * @in: the trace
 * @root: put before the names of mapped files
 * @wanted: bits of enum softpt_flow_event
 * @row: return false to end the walk
 * @stride: NULL, or gets branches of a stride together, in place of their rows, unless those of
 *	other threads are amid them
 * @end: NULL, or called behind the last row, while what rows point to is still valid
 * @context: for @row, @stride and @end
 * @errors: told of code that can't be read, and of the first place that can't be followed
 * @slice: what of it; all zero: all
 * @threads: that walk ahead of who takes the steps; 0 or 1: none does
 * @many: there are several threads; set before the first row
 * @totals: what was walked
 */
struct flow_path {
	const struct input *in;
	const char *root;
	uint32_t wanted;
	softpt_flow_row_fn row;
	flow_stride_fn stride;
	void (*end)(void *context);
	void *context;
	const struct error_sink *errors;
	struct flow_slice slice;
	unsigned int threads;
	bool many;
	struct softpt_flow_totals totals;
};

/* Whether there is a path. Return: 0 or -EINVAL as flow_path_walk() */
int flow_path_check(const struct flow_path *path);

/**
 * flow_path_walk() - walk all streams, in the order of time
 * @path: what to walk
 *
 * Return: 0; -EILSEQ: something can't be followed, and the rest was walked; -EINVAL: no program's
 * path is in the trace; -ENOMEM. @path->errors was told of each.
 */
int flow_path_walk(struct flow_path *path);

#endif /* SOFTPT_FLOW_PATH_H */
