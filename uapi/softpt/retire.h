/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Event addresses (US 7,747,844): what the pipeline that instructions go through may be;
 * itself and the records that a unit keeps as they leave it are ABI. Engine and library
 * share it. (Documentation/reference/address.rst)
 */
#ifndef _SOFTPT_RETIRE_H
#define _SOFTPT_RETIRE_H

#include <linux/softpt.h>

#define SOFTPT_STAGES_MAX	255	/* as many as an event can name */
#define SOFTPT_DELAY_MAX	0x7fffffff	/* cycles, of each delay */
#define SOFTPT_CAPACITY_MAX	65535	/* instructions at a stage, with a buffer behind it */

/* ROW(key, field, min, max, default, what) of each key of `softpt sim --pipeline` */
#define SOFTPT_PIPELINE_KEYS(ROW) \
	ROW("stages", stages, 1, SOFTPT_STAGES_MAX, 0, "the last is where they retire") \
	ROW("min", min, 0, SOFTPT_DELAY_MAX, 0, "least cycles from event to freeze") \
	ROW("delay", delay, 0, SOFTPT_DELAY_MAX, 0, "cycles that are recorded beyond that") \
	ROW("write", write, 0, SOFTPT_DELAY_MAX, 0, "cycles from a retirement to its record") \
	ROW("depth", depth, 1, SOFTPT_FIFO_DEPTH, SOFTPT_FIFO_DEPTH, "records that are kept") \
	ROW("after", after, 0, 1, 0, "1: record only what is needed from the event on")

/* Cycles from the event to the clock of the last record; negative: it ends before the event */
static inline __s64 softpt_pipeline_reach(const struct softpt_pipeline *p)
{
	return (__s64)p->min + p->delay - p->write - 1;
}

#endif /* _SOFTPT_RETIRE_H */
