/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The emulated trace unit: events in, packets out.
 *
 * Pure C: no kernel call, no allocation, no lock, no clock of its own. Time comes
 * in with each event. The same files run in the module, in `softpt sim`, in the
 * tests and in the fuzzers. (Documentation/internals/engine.rst)
 *
 *	run.c				another way in, for many branches of one time
 *	event.c > advance.c > due.c	the way in; time passes; what is due
 *	watch/	counters, triggers, the retirement FIFO, the truth: where wanted
 *	flow/	which packets an event has, and what precedes them
 *	time/	ticks through the suppressor, cycles, anchors
 *	packet/	bytes
 *	state.h	the state, which all of them know
 *
 * A file calls only files that stand below it.
 */
#ifndef _SOFTPT_ENGINE_H
#define _SOFTPT_ENGINE_H

#include "run.h"
#include "state.h"
#include "watch/counter.h"
#include "watch/duration.h"
#include "watch/freeze.h"
#include "watch/retire.h"
#include "watch/trigger.h"
#include "watch/truth.h"
#include "watch/watch.h"

/**
 * softpt_engine_init() - start state of an engine
 * @e: all of it is written
 * @cfg: configuration that softpt_config_check() accepts
 *
 * Start state: CPL 3, 64-bit mode, CR3 0, thread 0, core clock at P1.
 */
void softpt_engine_init(struct softpt_engine *e, const struct softpt_config *cfg);

/**
 * softpt_engine_check() - check an event before it is given to the engine
 * @e: the engine
 * @ev: the event
 * @why: set to the reason, where the event is not accepted
 *
 * Return: 0; -EINVAL for an unknown kind, a value out of range, a non-zero
 * reserved field or a time before the last event; -ERANGE for a core clock ratio
 * outside the platform's.
 */
int softpt_engine_check(const struct softpt_engine *e, const struct softpt_event *ev,
			const char **why);

/* The time of an event is one that softpt_engine_check() accepts */
static inline bool softpt_engine_in_time(const struct softpt_engine *e, u64 tsc)
{
	/* also false before @e->now */
	return (tsc - e->now) >> 55 == 0 && tsc >> 56 != 0xff;
}

/**
 * softpt_engine_event() - let time pass up to an event, and take the event
 * @e: the engine
 * @ev: an event that softpt_engine_check() accepts
 * @s: where packets go
 *
 * Cost: linear in the bytes that are written; the suppressed ticks of a gap cost nothing.
 *
 * Return: 0, or SOFTPT_MORE when @s is too full: call again with the same event
 * and more room. @s holds whole packets then, and they belong to the stream.
 */
int softpt_engine_event(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s);

/**
 * softpt_engine_hold_psb() - write a PSB+ in softpt_engine_anchor() only
 * @e: the engine, before the first event
 *
 * For a host that reads a clock now and then, and so does not know the time of each event. The
 * TSC of a PSB+ is later than all events before it.
 */
void softpt_engine_hold_psb(struct softpt_engine *e);

/**
 * softpt_engine_anchor() - [CYC] TSC TMA, or the PSB+ that is due, at the time of the last event
 * @e: the engine
 * @s: where packets go
 *
 * All events before it are not later than that time, all events behind it are not earlier.
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_engine_anchor(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_flush() - write pending TNT bits and the closing anchor
 * @e: the engine
 * @s: where packets go
 *
 * At the end of the input, and before a ring is frozen.
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_engine_flush(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_lose() - packets are lost from the last event on
 * @e: the engine
 * @s: where pending TNT bits and the closing anchor go; has room for SOFTPT_GROUP_MAX, which a
 *	ring keeps in reserve
 *
 * For a live channel whose ring is full. Until softpt_engine_found() events change the
 * state and write nothing; the owner counts each in counts.events_lost.
 */
void softpt_engine_lose(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_found() - there is room again: an OVF precedes the next event
 * @e: the engine
 * @tsc: now, not before the last event
 */
void softpt_engine_found(struct softpt_engine *e, u64 tsc);

#endif /* _SOFTPT_ENGINE_H */
