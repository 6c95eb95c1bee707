/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The truth: which event wrote each piece of the stream, and when the event happened. The owner
 * gives the engine memory for it; an engine without has no cost.
 * (Documentation/reference/truth.rst)
 */
#ifndef _SOFTPT_ENGINE_TRUTH_H
#define _SOFTPT_ENGINE_TRUTH_H

#include "../state.h"

/*
 * Entries that one call of the engine with so many bytes of room writes at most: end of a sleep,
 * end of an overflow, a live gap, event, trigger, and each PSB+ of a gap while triggers are armed
 */
#define SOFTPT_TRUTH_MAX(bytes)	(6 + (bytes) / 2048)

/**
 * softpt_truth_arm() - write the truth from now on
 * @e: the engine
 * @log: in use until the next call; NULL: write no truth
 */
void softpt_truth_arm(struct softpt_engine *e, struct softpt_truth_log *log);

/* For the engine: around what one event writes. Nothing happens without a log. */
void softpt_truth_begin(struct softpt_engine *e, const struct softpt_sink *s);
void softpt_truth_end(struct softpt_engine *e, const struct softpt_sink *s, u64 event, u16 kind,
		      u16 flags);

#endif /* _SOFTPT_ENGINE_TRUTH_H */
