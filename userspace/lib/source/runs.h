/* SPDX-License-Identifier: BSD-2-Clause */
/* The exits that a translated process has described, as runs of the engine */
#ifndef SOFTPT_SOURCE_RUNS_H
#define SOFTPT_SOURCE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

#include "../../../kmod/engine/engine.h"

/**
 * struct xl_runs - private copies of descriptions: what was checked is what is used
 * @process: its area; the program may write anything there
 * @run: by the number of the exit; @most is 0: not made yet
 * @op: by the number of the operation
 * @flushes: of the process, when all of these were made
 */
struct xl_runs {
	const struct softpt_xl_process *process;
	struct softpt_run *run;
	struct softpt_run_op *op;
	uint32_t flushes;
};

/* Return: 0 or -ENOMEM */
int xl_runs_init(struct xl_runs *r, const struct softpt_xl_process *process);
void xl_runs_free(struct xl_runs *r);

/* Forget all, if the process has begun anew. To be called after a look at its records. */
void xl_runs_look(struct xl_runs *r);

/**
 * xl_runs_make() - make the run of an exit
 * @r: the runs
 * @number: of the exit
 * @known: exits that there are
 *
 * Return: whether there is such an exit, and a run can be what it says.
 */
bool xl_runs_make(struct xl_runs *r, uint32_t number, uint32_t known);

/* ---- descriptions, within their bounds ---- */

bool xl_exit_at(const struct softpt_xl_process *p, uint32_t i, uint32_t known,
		struct softpt_xl_exit *x);
bool xl_step_at(const struct softpt_xl_process *p, uint32_t i, struct softpt_xl_step *step);

#endif /* SOFTPT_SOURCE_RUNS_H */
