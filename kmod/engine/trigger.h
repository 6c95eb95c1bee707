/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Triggers (US 5,996,092): something happens for the Nth time, which is a trigger event
 * (TE). It is marked in the stream, and what the ring holds may freeze some time after it.
 *
 * The unit sees TEs and says when to freeze; who has the ring does it.
 * (Documentation/trigger.rst)
 */
#ifndef _SOFTPT_ENGINE_TRIGGER_H
#define _SOFTPT_ENGINE_TRIGGER_H

#include <softpt/triggers.h>
#include "types.h"

struct softpt_engine;
struct softpt_event;
struct softpt_sink;

#define SOFTPT_TRIGGER_HELD	8	/* interrupts of interrupts that are kept apart */

enum softpt_freezing {
	SOFTPT_FREEZE_NOT,
	SOFTPT_FREEZE_ENDS,	/* the TE was there: so much more is to come */
	SOFTPT_FREEZE_DUE,	/* now: softpt_trigger_frozen() */
	SOFTPT_FREEZE_DONE,
};

/**
 * struct softpt_trigger_slot - one trigger
 * @set: what it waits for
 * @hits: how often that occurred
 * @left: occurrences until it fires; 0: it has
 * @seen: SOFTPT_ON_COUNTER: overflows that were looked at; SOFTPT_ON_EVENT: events, and
 *	SOFTPT_ON_DEMAND: demands that were not
 */
struct softpt_trigger_slot {
	struct softpt_trigger set;
	u64 hits;
	u64 left;
	u64 seen;
};

/**
 * struct softpt_triggers - the triggers of a unit
 * @set: a bit for each that waits for something
 * @wants: a bit for each enum softpt_trigger_source that one of them has
 * @freezing: enum softpt_freezing
 * @index: which fired last
 * @freezer: which has the ring frozen
 * @runs: execution runs on from @run
 * @held: how often it was interrupted at what was looked at: @held_ip
 * @classes: of events, that are looked at
 * @run: the address that was looked at last
 * @held_ip: where execution will go on
 * @hits: occurrences of all
 * @events: TEs
 * @noted: how often the next two were
 * @tsc: of the last before a freeze
 * @ip: where that was
 * @psbs: PSBs ever written
 * @before: before what the last event wrote
 * @end_bytes: freeze with so many bytes; U64_MAX: not for that, as the next two
 * @end_tsc: at this time
 * @end_psbs: with so many PSBs
 * @slot: by index
 */
struct softpt_triggers {
	u8 set;
	u16 wants;
	u8 freezing;
	u8 index;
	u8 freezer;
	bool runs;
	u8 held;
	u64 classes;
	u64 run;
	u64 held_ip[SOFTPT_TRIGGER_HELD];
	u64 hits;
	u64 events;
	u64 noted;
	u64 tsc;
	u64 ip;
	u64 psbs;
	u64 before;
	u64 end_bytes;
	u64 end_tsc;
	u64 end_psbs;
	struct softpt_trigger_slot slot[SOFTPT_TRIGGERS];
};

/**
 * softpt_set_trigger() - what a trigger waits for
 * @t: the triggers
 * @trigger: number and content; its size is not looked at
 * @why: set to what is wrong
 *
 * Return: 0, or -EINVAL.
 */
int softpt_set_trigger(struct softpt_triggers *t, const struct softpt_trigger *trigger,
		       const char **why);

/**
 * softpt_triggers_arm() - give a unit triggers that were set elsewhere, and arm them
 * @e: the unit
 * @t: what they are set to is copied, nothing else
 *
 * A unit may be armed before it is enabled: then the enabling event may be the first hit.
 */
void softpt_triggers_arm(struct softpt_engine *e, const struct softpt_triggers *t);

/**
 * softpt_trigger_demand() - an occurrence of SOFTPT_ON_DEMAND
 * @e: the unit; the next event looks at it
 *
 * Return: false when no trigger waits for that.
 */
bool softpt_trigger_demand(struct softpt_engine *e);

/* What it wants frozen is to be frozen before the next event is given. */
static inline bool softpt_trigger_due(const struct softpt_triggers *t)
{
	return t->freezing == SOFTPT_FREEZE_DUE;
}

/* It was frozen, for a trigger or not: TEs are counted, and freeze nothing. */
static inline void softpt_trigger_frozen(struct softpt_triggers *t)
{
	t->freezing = SOFTPT_FREEZE_DONE;
}

/**
 * softpt_trigger_rearm() - it runs on: the next TE may freeze it again
 * @e: the unit
 *
 * What follows is read without what was before: a PSB+ is due.
 */
void softpt_trigger_rearm(struct softpt_engine *e);

/* Occurrences that wait for the next event, as those of counters do */
bool softpt_trigger_pending(const struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_TRIGGER_H */
