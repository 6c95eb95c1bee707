/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The truth: what wrote each piece of the stream, and when that happened. Who wants to know
 * gives the unit a place to write it; a unit without pays nothing. (Documentation/truth.rst)
 */
#ifndef _SOFTPT_ENGINE_TRUTH_H
#define _SOFTPT_ENGINE_TRUTH_H

#include "../state.h"

/*
 * One call of the engine with so much room says no more than this: end of a sleep, of an
 * overflow, a healed gap, event, trigger, and each PSB+ of a gap while triggers are armed
 */
#define SOFTPT_TRUTH_MAX(bytes)	(6 + (bytes) / 2048)

/**
 * softpt_truth_arm() - say from now on what happens
 * @e: the unit
 * @log: its own until it is armed anew; NULL: say nothing
 */
void softpt_truth_arm(struct softpt_engine *e, struct softpt_truth_log *log);

/* For the engine's own files, while there is a log: around what one event writes */
void softpt_truth_begin(struct softpt_engine *e, const struct softpt_sink *s);
void softpt_truth_end(struct softpt_engine *e, const struct softpt_sink *s, u64 event, u16 kind,
		      u16 flags);

#endif /* _SOFTPT_ENGINE_TRUTH_H */
