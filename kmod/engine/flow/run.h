/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Branches in bulk, for a host that knows the time of many at once */
#ifndef _SOFTPT_ENGINE_RUN_H
#define _SOFTPT_ENGINE_RUN_H

#include "../state.h"

/* What may precede the first packet of a run: 46 TNT bits that waited, and a MODE.Exec */
#define SOFTPT_RUN_BEFORE	10

/**
 * softpt_engine_run_begin() - branches of one moment follow in bulk
 * @e: the unit
 * @tsc: when: not before the last event
 * @s: where packets go
 *
 * What softpt_engine_run_*() write is what the same branches would as events, at a cost by the
 * packet and not by the branch. Indirect branches are events within a run, too. Direct jumps are
 * not told, nor are calls to the instruction behind them: counts.events lacks them.
 *
 * Return: how many bytes they may write before softpt_engine_run_end(): SOFTPT_RUN_BEFORE for
 * what waits at its begin, 1 for a bit and 10 for an event, which is never less than they do
 * write; 0 where anything else than their packets may be due: ticks, a PSB+, CYC packets,
 * ranges, triggers, counters, or room. Then give them event by event.
 */
size_t softpt_engine_run_begin(struct softpt_engine *e, u64 tsc, const struct softpt_sink *s);

/**
 * softpt_engine_run_bits() - conditional branches
 * @e: the unit
 * @bits: their outcomes, taken is 1; the newest in bit 0
 * @n: how many: 0 to 63
 * @s: where packets go
 */
void softpt_engine_run_bits(struct softpt_engine *e, u64 bits, unsigned int n,
			    struct softpt_sink *s);

/**
 * softpt_engine_run_call() - a direct call, not to the instruction behind it
 * @e: the unit
 * @next: where it returns to
 */
void softpt_engine_run_call(struct softpt_engine *e, u64 next);

/**
 * softpt_engine_run_end() - the bulk is over
 * @e: the unit
 * @ip: where execution goes on
 *
 * A run in which nothing was told needs none.
 */
void softpt_engine_run_end(struct softpt_engine *e, u64 ip);

#endif /* _SOFTPT_ENGINE_RUN_H */
