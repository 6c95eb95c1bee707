/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event counters qualified by hardware thread and privilege (US 7,448,025).
 *
 *	event -> class select -> subclass mask -> thread and privilege -> counter
 *	         `---------------- ESCR ------------------------------'
 *
 * What counts comes as `pmu` events, or by softpt_count() from a source that sees it
 * happen; the class `trace` the unit knows by itself. (Documentation/counters.rst)
 */
#ifndef _SOFTPT_COUNTER_H
#define _SOFTPT_COUNTER_H

#include <linux/softpt.h>
#include <softpt/counters.h>
#include "types.h"

struct softpt_engine;

/* What an ESCR selects */
struct softpt_select {
	u32 usr;		/* a bit for each thread, at CPL 1 to 3 */
	u32 os;			/* and at CPL 0 */
	u16 mask;		/* 0: selects nothing */
	u8 event_class;
};

/**
 * struct softpt_counters - ESCRs, counters and the time-stamp counter of a unit
 * @wanted: a bit for each class that a running counter or a trigger selects
 * @of_class: for each class the running counters that select it
 * @running: a bit for each counter that counts
 * @set: counters that have an ESCR
 * @dirty: counters that are not cleared: started, or preset to more than zero
 * @overflowed: counters that wrapped since they were cleared or preset
 * @fresh: counters that wrapped since the front end last took this away
 * @breaking: counters whose overflow is a micro-breakpoint
 * @breaks: those of them that wrapped since the front end last took this away
 * @tsc_off: the time-stamp counter stands still
 * @tsc: its value; while it runs, what is to be added to the TSC
 * @value: of each counter, below 2^40
 * @overflows: how often it wrapped
 * @wraps: the same, and nothing clears it
 * @escr_of: which ESCR it is coupled to
 * @escr: what is selected
 * @bank: by thread, what each counter has counted: modulo 2^64, without preset
 * @packets: packets that the class `trace` has seen
 * @mtc: MTC packets that it has seen
 * @suppressed: suppressed MTCs that it has seen
 * @late: suppressed MTCs that a pre-roll sent late
 */
struct softpt_counters {
	u64 wanted;
	u32 of_class[SOFTPT_EVENT_CLASSES];
	u32 running;
	u32 set;
	u32 dirty;
	u32 overflowed;
	u32 fresh;
	u32 breaking;
	u32 breaks;
	bool tsc_off;
	u64 tsc;
	u64 value[SOFTPT_COUNTERS];
	u64 overflows[SOFTPT_COUNTERS];
	u64 wraps[SOFTPT_COUNTERS];
	u8 escr_of[SOFTPT_COUNTERS];
	struct softpt_select escr[SOFTPT_ESCRS];
	u64 bank[SOFTPT_THREADS][SOFTPT_COUNTERS];
	u64 packets;
	u64 mtc;
	u64 suppressed;
	u64 late;
};

/**
 * softpt_set_escr() - write an event select control register
 * @c: the counters
 * @escr: number and content; its size is not looked at
 * @why: set to what is wrong
 *
 * Return: 0; -EINVAL for a number out of range or a reserved field; -EXDEV when the
 * class belongs to another sub-area; -EBUSY while a counter that uses it is not both
 * stopped and cleared.
 */
int softpt_set_escr(struct softpt_counters *c, const struct softpt_escr *escr, const char **why);

/**
 * softpt_set_counter() - couple a counter to an ESCR, and preset it
 * @c: the counters
 * @counter: number, ESCR and preset; its size is not looked at
 * @why: set to what is wrong
 *
 * The counter forgets its overflows and what threads have counted.
 *
 * Return: 0; -EINVAL for a number, a preset or a flag out of range; -EXDEV for an
 * ESCR of another area; -EBUSY while it runs, and for another ESCR until it was
 * cleared.
 */
int softpt_set_counter(struct softpt_counters *c, const struct softpt_counter *counter,
		       const char **why);

/**
 * softpt_counter_preset() - let a counter begin anew
 * @c: the counters
 * @k: a counter that is set
 * @preset: what it counts on from, below 2^40
 *
 * It forgets its overflows and what threads have counted.
 */
void softpt_counter_preset(struct softpt_counters *c, unsigned int k, u64 preset);

/**
 * softpt_count_check() - judge what softpt_count_control() is to do
 * @c: the counters
 * @args: its size is not looked at
 * @why: set to what is wrong
 *
 * Return: 0; -EINVAL for a bit that is no counter's, a counter to start that was
 * never set, an unknown flag, flags that contradict each other, a reserved field.
 */
int softpt_count_check(const struct softpt_counters *c, const struct softpt_count_args *args,
		       const char **why);

/**
 * softpt_counters_control() - softpt_count_control() of counters that are no unit's
 * @c: the counters
 * @tsc: the instant
 * @args: accepted by softpt_count_check()
 */
void softpt_counters_control(struct softpt_counters *c, u64 tsc,
			     const struct softpt_count_args *args);

/**
 * softpt_count_control() - stop, clear and start counters, all at one instant
 * @e: the unit
 * @tsc: the instant, not before the unit's last event
 * @args: accepted by softpt_count_check()
 */
void softpt_count_control(struct softpt_engine *e, u64 tsc, const struct softpt_count_args *args);

/**
 * softpt_counters_adopt() - give a unit counters that were set elsewhere
 * @e: the unit
 * @c: copied, values and all
 */
void softpt_counters_adopt(struct softpt_engine *e, const struct softpt_counters *c);

/**
 * softpt_counters_stamp() - the time-stamp counter
 * @c: the counters
 * @tsc: now
 *
 * Return: its value.
 */
u64 softpt_counters_stamp(const struct softpt_counters *c, u64 tsc);

/**
 * softpt_counters_read() - read all counters, without disturbing them
 * @c: the counters
 * @tsc: now
 * @v: flags and thread are read, all else but the size is written
 */
void softpt_counters_read(const struct softpt_counters *c, u64 tsc,
			  struct softpt_counter_values *v);

/**
 * softpt_count_slow() - softpt_count() of a class that is wanted
 * @e: the unit
 * @event_class: 0 to 63
 * @submask: the subclasses that the event belongs to
 * @n: occurrences in this clock, or clocks of a duration
 */
void softpt_count_slow(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

#endif /* _SOFTPT_COUNTER_H */
