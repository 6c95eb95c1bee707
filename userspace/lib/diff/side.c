// SPDX-License-Identifier: BSD-2-Clause
#include "diff/side.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/path.h"

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct diff_side *side = context;
	struct step_thread *thread;
	struct step step;

	side->failed = !report_take(side->report, row);
	if (side->failed || !(STEP_ROWS & 1u << row->event))
		return !side->failed;
	thread = stepper_take(&side->steps, row, &step);
	side->failed = !thread ||
		       trails_add(&side->trails, thread - side->steps.thread, &step);
	return !side->failed;
}

/* Numbers of threads grow as they are made: in two runs the n-th is the same one. */
static int compare(const void *a, const void *b, void *context)
{
	const struct step_thread *thread = context;
	const struct step_thread *x = &thread[*(const size_t *)a], *y = &thread[*(const size_t *)b];

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int find_order(struct diff_side *side)
{
	size_t i;

	side->order = calloc(side->steps.threads + 1, sizeof(*side->order));
	if (!side->order)
		return -ENOMEM;
	for (i = 0; i < side->steps.threads; i++)
		side->order[i] = i;
	qsort_r(side->order, side->steps.threads, sizeof(*side->order), compare,
		side->steps.thread);
	return 0;
}

int diff_side_walk(struct diff_side *side)
{
	struct flow_path path = {
		.in = side->in, .root = side->root, .wanted = REPORT_ROWS | STEP_ROWS,
		.row = take_row, .context = side, .errors = side->errors,
	};
	int err = stepper_begin(&side->steps, side->counts);

	side->report = report_new(side->by, REPORT_NO_LINKS, 0);
	if (!err && side->report)
		err = flow_path_walk(&path);
	else
		return error_tell_errno(side->errors, side->in->path, -ENOMEM);
	if (err && err != -EILSEQ)
		return err;
	if (side->failed || report_finish(side->report) || find_order(side))
		return error_tell_errno(side->errors, side->in->path, -ENOMEM);
	return err;
}

void diff_side_free(struct diff_side *side)
{
	report_free(side->report);
	stepper_free(&side->steps);
	trails_free(&side->trails);
	free(side->order);
}
