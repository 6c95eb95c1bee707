/* SPDX-License-Identifier: BSD-2-Clause */
/* The exits that a translated process has described, as runs of the engine */
#ifndef SOFTPT_SOURCE_RUNS_H
#define SOFTPT_SOURCE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

#include "../../../kmod/engine/engine.h"

/* Runs of several exits (fuse.h), behind those of one: how many, their operations and bytes */
#define XL_PATHS	4096
#define XL_PATH_LEN	64
#define XL_FUSED	(XL_PATHS * XL_PATH_LEN)
#define XL_FUSED_OPS	(1u << 21)
#define XL_FUSED_BYTES	(1u << 24)

#define XL_CHOICE	4	/* paths that begin with the same exit */

/**
 * struct xl_path - exits that were taken in a row
 * @run: number of the run of the first exit; the run of the first N is @run + N - 1
 * @len: how many exits
 * @exit: the exits
 */
struct xl_path {
	uint32_t run;
	uint32_t len;
	uint32_t exit[XL_PATH_LEN];
};

/**
 * struct xl_paths - what is known to follow an exit
 * @path: paths that begin with it
 * @same: of each two of them, how many exits they have in common, from the first on
 * @n: how many
 * @count: how often none was long since one was made
 */
struct xl_paths {
	uint16_t path[XL_CHOICE];
	uint8_t same[XL_CHOICE * (XL_CHOICE - 1) / 2];
	uint8_t n;
	uint8_t count;
};

/**
 * struct xl_runs - private copies of descriptions: what was checked is what is used
 * @process: its area; the program may write anything there
 * @run: by the number of the exit; @most is 0: not made yet
 * @op: by the number of the operation
 * @paths: by the number of the exit
 * @path: all paths
 * @bytes: of SOFTPT_RUN_BYTES
 * @flushes: of the process, when all of these were made
 * @nr_paths: made so far
 * @fused_ops: operations of paths, so far
 * @fused_bytes: bytes of paths, so far
 * @tried: runs where paths were known, since their worth was last judged
 * @covered: exits of these runs
 * @pause: exits that are not to be fused when it was not worth it; 0: it was
 * @idle: how many of these are to come
 * @fuses: the engine that they are for is one that SOFTPT_RUN_BYTES can be of
 */
struct xl_runs {
	const struct softpt_xl_process *process;
	struct softpt_run *run;
	struct softpt_run_op *op;
	struct xl_paths *paths;
	struct xl_path *path;
	uint8_t *bytes;
	uint32_t flushes;
	uint32_t nr_paths;
	uint32_t fused_ops;
	uint32_t fused_bytes;
	uint32_t tried;
	uint32_t covered;
	uint32_t pause;
	uint32_t idle;
	bool fuses;
};

/* @cfg: of the units of its threads. Return: 0 or -ENOMEM */
int xl_runs_init(struct xl_runs *r, const struct softpt_xl_process *process,
		 const struct softpt_config *cfg);
void xl_runs_free(struct xl_runs *r);

/* Forget all, if the process has begun anew: then no record at hand is of before. */
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

/* The event of an indirect branch: SOFTPT_EV_RET, _IJMP or _ICALL; 0: the kind is another */
uint8_t xl_end_of(uint8_t kind);

/* ---- descriptions, within their bounds ---- */

bool xl_exit_at(const struct softpt_xl_process *p, uint32_t i, uint32_t known,
		struct softpt_xl_exit *x);
bool xl_step_at(const struct softpt_xl_process *p, uint32_t i, struct softpt_xl_step *step);

#endif /* SOFTPT_SOURCE_RUNS_H */
