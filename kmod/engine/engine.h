/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The emulated trace unit: events in, packets out.
 *
 * Pure C: no kernel call, no allocation, no lock, no clock of its own. Time comes
 * in with each event. The same files run in the module, in `softpt sim`, in the
 * tests and in the fuzzers. (Documentation/engine.rst)
 *
 *	event.c > advance.c > due.c	the door; time passes; what is due
 *	watch/	counters, triggers, retirements, what really happened: where asked for
 *	flow/	which packets an event has, and what precedes them
 *	time/	ticks through the suppressor, cycles, anchors
 *	packet/	bytes
 *	state.h	what all of them know
 *
 * A file calls only files that stand below it.
 */
#ifndef _SOFTPT_ENGINE_H
#define _SOFTPT_ENGINE_H

#include "flow/run.h"
#include "state.h"
#include "watch/counter.h"
#include "watch/duration.h"
#include "watch/freeze.h"
#include "watch/retire.h"
#include "watch/trigger.h"
#include "watch/truth.h"
#include "watch/watch.h"

/**
 * softpt_engine_init() - a unit that has never been enabled
 * @e: filled in whole
 * @cfg: configuration, judged by softpt_config_check() before
 *
 * Start state: CPL 3, 64-bit mode, CR3 0, thread 0, core clock at P1.
 */
void softpt_engine_init(struct softpt_engine *e, const struct softpt_config *cfg);

/**
 * softpt_engine_check() - judge an event before it is given to the unit
 * @e: the unit
 * @ev: the event
 * @why: set to what is wrong with it
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
 * softpt_engine_event() - let time pass up to an event, and let it happen
 * @e: the unit
 * @ev: an event that softpt_engine_check() accepts
 * @s: where packets go
 *
 * Cost: linear in the bytes emitted; the suppressed ticks of a gap cost nothing.
 *
 * Return: 0, or SOFTPT_MORE when @s is too full: call again with the same event
 * and more room. What is in @s is whole packets, and to be kept.
 */
int softpt_engine_event(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s);

/**
 * softpt_engine_hold_psb() - no PSB+ but at softpt_engine_anchor(), from now on
 * @e: the unit, before the first event
 *
 * For a host that does not know when its events happen, but now and then: the TSC of a PSB+ says
 * that what came before had happened by then.
 */
void softpt_engine_hold_psb(struct softpt_engine *e);

/**
 * softpt_engine_anchor() - [CYC] TSC TMA, or the PSB+ that is due, at the time of the last event
 * @e: the unit
 * @s: where packets go
 *
 * What came before had happened by then, and what comes behind had not.
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_engine_anchor(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_flush() - end of the input, or freeze: TNT flush and closing anchor
 * @e: the unit
 * @s: where packets go
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_engine_flush(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_lose() - packets are lost from the last event on
 * @e: the unit
 * @s: where the TNT flush and the closing anchor go (room for SOFTPT_GROUP_MAX: the
 *     ring's reserve)
 *
 * For a live front end whose ring is full. Until softpt_engine_found() events only
 * change state. Count each in counts.events_lost.
 */
void softpt_engine_lose(struct softpt_engine *e, struct softpt_sink *s);

/**
 * softpt_engine_found() - there is room again: OVF precedes the next event
 * @e: the unit
 * @tsc: now, not before the last event
 */
void softpt_engine_found(struct softpt_engine *e, u64 tsc);

#endif /* _SOFTPT_ENGINE_H */
