/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Many branches of one time, for a host that knows the time of many at once */
#ifndef _SOFTPT_ENGINE_RUN_H
#define _SOFTPT_ENGINE_RUN_H

#include "state.h"

/* What may precede the first packet of a run: 46 pending TNT bits, and a MODE.Exec */
#define SOFTPT_RUN_BEFORE	10

/**
 * softpt_engine_run_begin() - begin a run of branches that have one time
 * @e: the engine
 * @tsc: their time, not before the last event
 * @s: where packets go
 *
 * softpt_engine_run_*() write what the same branches would write as events. The cost is by the
 * packet and not by the branch. An indirect branch is an event within the run. Direct jumps have
 * no call, nor have calls to the instruction behind them: counts.events lacks both.
 *
 * Return: how many bytes may be written before softpt_engine_run_end(). SOFTPT_RUN_BEFORE covers
 * what is pending at the begin, 1 a bit and 10 an event; no run writes more than that. 0 where
 * something else than packets of branches may be due (ticks, a PSB+, CYC packets, ranges,
 * triggers, counters) or room is short: then give the branches as events.
 */
size_t softpt_engine_run_begin(struct softpt_engine *e, u64 tsc, const struct softpt_sink *s);

/**
 * softpt_engine_run_bits() - conditional branches
 * @e: the engine
 * @bits: their outcomes, taken is 1; the newest in bit 0
 * @n: how many: 0 to 63
 * @s: where packets go
 */
void softpt_engine_run_bits(struct softpt_engine *e, u64 bits, unsigned int n,
			    struct softpt_sink *s);

/**
 * softpt_engine_run_call() - a direct call, not to the instruction behind it
 * @e: the engine
 * @next: address that it returns to
 */
void softpt_engine_run_call(struct softpt_engine *e, u64 next);

/**
 * softpt_engine_run_end() - end a run
 * @e: the engine
 * @ip: where execution goes on
 *
 * A run without a call of softpt_engine_run_bits() or softpt_engine_run_call() needs no end.
 */
void softpt_engine_run_end(struct softpt_engine *e, u64 ip);

#endif /* _SOFTPT_ENGINE_RUN_H */
