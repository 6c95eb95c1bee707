/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The truth: what wrote each piece of the stream, and when that happened. Who wants to know
 * gives the unit a place to write it; a unit without pays nothing. (Documentation/truth.rst)
 */
#ifndef _SOFTPT_ENGINE_TRUTH_H
#define _SOFTPT_ENGINE_TRUTH_H

#include "types.h"

struct softpt_engine;
struct softpt_event;
struct softpt_sink;
struct softpt_truth;

/*
 * One call of the engine with so much room says no more than this: end of a sleep, of an
 * overflow, a healed gap, event, trigger, and each PSB+ of a gap while triggers are armed
 */
#define SOFTPT_TRUTH_MAX(bytes)	(6 + (bytes) / 2048)

/**
 * struct softpt_truth_log - where the truth goes, and how far time has come
 * @cur: the next record
 * @end: there is room up to here; what has none is lost
 * @lost: records that had no room
 * @base: position in the stream of the unit's first byte: what went elsewhere is no part of it
 * @mute: what the unit writes is thrown away
 * @torn: something was not said since the last record
 * @began: the clock runs
 * @rem: fraction of a cycle, in 1/P1
 * @tsc: up to which cycles are counted
 * @cycles: core cycles that the clocks ran
 * @from: position where the current event began to write
 * @cur_from: the same in the sink
 * @bits: TNT bits before it
 * @pending: some of them wait in the unit
 */
struct softpt_truth_log {
	struct softpt_truth *cur;
	struct softpt_truth *end;
	u64 lost;
	u64 base;
	bool mute;
	bool torn;
	bool began;
	u32 rem;
	u64 tsc;
	u64 cycles;
	u64 from;
	const u8 *cur_from;
	u64 bits;
	bool pending;
};

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
