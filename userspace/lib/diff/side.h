/* SPDX-License-Identifier: BSD-2-Clause */
/* One of two recordings that are compared: what it cost, and the trails of its threads */
#ifndef SOFTPT_DIFF_SIDE_H
#define SOFTPT_DIFF_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "diff/step.h"
#include "diff/trail.h"
#include "input/input.h"
#include "report/report.h"

/**
 * struct diff_side - a recording
 * @in: the trace
 * @root: put before the names of mapped files
 * @errors: told of what can't be read or followed
 * @by: what the lines of @report are of
 * @counts: paths are compared by the instructions between calls, too
 * @report: what it cost
 * @steps: its threads
 * @trails: their paths
 * @order: numbers of the threads, the oldest thread first
 * @failed: there was no memory for a row
 */
struct diff_side {
	const struct input *in;
	const char *root;
	const struct error_sink *errors;
	enum report_by by;
	bool counts;
	struct report *report;
	struct stepper steps;
	struct trails trails;
	size_t *order;
	bool failed;
};

/**
 * diff_side_walk() - sum up a recording
 * @side: its first five members are set, the others are zero
 *
 * Return: 0; -EILSEQ: some of the path can't be followed, the rest was summed up; -EINVAL: no
 * program's path is in it; -ENOMEM. @side->errors was told of each. diff_side_free() in any case.
 */
int diff_side_walk(struct diff_side *side);
void diff_side_free(struct diff_side *side);

#endif /* SOFTPT_DIFF_SIDE_H */
