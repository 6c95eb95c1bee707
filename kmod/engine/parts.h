/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the state of an engine is made of: the parts that are for a clock, for counters, for
 * retirements, for triggers. Each is explained where it is used: watch/, time/.
 */
#ifndef _SOFTPT_ENGINE_PARTS_H
#define _SOFTPT_ENGINE_PARTS_H

#include <linux/softpt.h>
#include <softpt/classes.h>
#include <softpt/ctc.h>
#include <softpt/retire.h>
#include "../types.h"
#include "time/suppress.h"

/* ---- execution ---- */

/**
 * struct softpt_context - where execution is
 * @ip: where it goes on, as far as events have told
 * @cr3: CR3
 * @cpl: CPL
 * @thread: hardware thread
 * @exec_mode: SOFTPT_MODE_CS*
 * @exec_sent: @exec_mode of the last MODE.Exec; 0xff: there is none behind the PSB
 * @ranges: address ranges are configured
 * @filters: one of them is a filter
 */
struct softpt_context {
	u64 ip;
	u64 cr3;
	u8 cpl;
	u8 thread;
	u8 exec_mode;
	u8 exec_sent;
	bool ranges;
	bool filters;
};

#define SOFTPT_RET_DEPTH	64

/**
 * struct softpt_ret_stack - call addresses that a decoder knows, for RET compression
 * @top: index of the next, modulo SOFTPT_RET_DEPTH
 * @n: how many there are
 * @ip: where the calls return to
 */
struct softpt_ret_stack {
	u32 top;
	u32 n;
	u64 ip[SOFTPT_RET_DEPTH];
};

/**
 * struct softpt_stop - when what stands still goes on
 * @resume_at: end of the overflow, TSC
 * @wake_at: end of the sleep, TSC
 */
struct softpt_stop {
	u64 resume_at;
	u64 wake_at;
};

/* ---- ticks and cycles ---- */

/**
 * struct softpt_mtc - MTC ticks
 * @missing: MTCs suppressed since the last anchor or MTC
 * @plain_span: TSC ticks in which nothing but MTCs can be due; 0: never so
 * @next: the next tick; its TSC is U64_MAX while no ticks come
 * @ticks: the length of a period
 * @sup: which MTCs are suppressed
 * @left: credit of @sup behind the last anchor or MTC
 * @gap_max: TSC ticks of a live gap that owes SOFTPT_LIVE_GAP_BYTES
 */
struct softpt_mtc {
	u64 missing;
	u64 plain_span;
	struct softpt_tick next;
	struct softpt_ticks ticks;
	struct softpt_suppressor sup;
	u32 left;
	u64 gap_max;
};

/**
 * struct softpt_cycles - the cycle counter
 * @tsc: @n holds up to this TSC; U64_MAX: the counter stands still
 * @n: core cycles since the last CYC
 * @max: 2^cyc_bits - 1
 * @span: TSC ticks in which the counter cannot wrap from zero
 * @rem: fraction of a cycle, in 1/P1
 * @thresh: cycles that a CYC has at least
 * @ratio: core:bus ratio
 */
struct softpt_cycles {
	u64 tsc;
	u64 n;
	u64 max;
	u64 span;
	u32 rem;
	u32 thresh;
	u8 ratio;
};

/**
 * struct softpt_anchor - the last TSC and TMA
 * @end: bytes of the stream up to their end
 * @tsc: their time; U64_MAX: that of an OVF
 */
struct softpt_anchor {
	u64 end;
	u64 tsc;
};

/**
 * struct softpt_shadow_tick - a suppressed MTC
 * @cycles: cycle counter at the tick
 * @payload: of the MTC
 */
struct softpt_shadow_tick {
	u64 cycles;
	u8 payload;
};

/**
 * struct softpt_shadow - suppressed MTCs that a pre-roll may send late
 * @n: how many, cfg.preroll at most
 * @tick: the oldest first
 */
struct softpt_shadow {
	u8 n;
	struct softpt_shadow_tick tick[4];
};

/* ---- counters ---- */

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
 * struct softpt_durations - which conditions hold
 * @classes: a bit for each class of which one does
 * @tsc: up to which clocks are counted
 * @wake_at: end of a sleep, in which there are none; 0: there is none
 * @open: of each class, the subclasses whose condition holds
 * @stage: where in the pipeline it holds an instruction, 0: not known
 * @rem: of each class, the fraction of a clock, in 1/P1
 */
struct softpt_durations {
	u64 classes;
	u64 tsc;
	u64 wake_at;
	u16 open[SOFTPT_EVENT_CLASSES];
	u8 stage[SOFTPT_EVENT_CLASSES];
	u8 rem[SOFTPT_EVENT_CLASSES];
};

/* ---- the retirement FIFO ---- */

enum softpt_fifo_state {
	SOFTPT_FIFO_OFF,
	SOFTPT_FIFO_RUNNING,
	SOFTPT_FIFO_FREEZING,	/* the event was there, the delays are not over */
	SOFTPT_FIFO_FROZEN,
};

/**
 * struct softpt_fifo - the records, and what freezes them
 * @state: enum softpt_fifo_state
 * @counter: whose overflow is the event
 * @flushed: the pipeline was flushed since the last record
 * @squashed: so that an instruction may be missing since the last record
 * @began: the clock runs
 * @accesses: stepped: the instruction at @ip, which has not retired, accesses @data
 * @executes: stepped: the clock is that of the instruction at @ip, which has not retired
 * @rem: fraction of a cycle, in 1/P1
 * @head: where the next record goes
 * @n: records that are there
 * @tsc: up to which cycles are counted
 * @wake_at: end of a sleep, in which none pass, traced or not; 0: there is none
 * @since: cycles since the last record
 * @left: cycles until the clock of the last record, once the event was there
 * @ip: of the instruction that executes
 * @data: of what it accesses
 * @pipeline: whose instructions retire
 * @freeze: the event
 * @entry: a ring of @pipeline.depth, not the unit's own: most units need none
 */
struct softpt_fifo {
	u8 state;
	u8 counter;
	bool flushed;
	bool squashed;
	bool began;
	bool accesses;
	bool executes;
	u32 rem;
	u32 head;
	u32 n;
	u64 tsc;
	u64 wake_at;
	u64 since;
	u64 left;
	u64 ip;
	u64 data;
	struct softpt_pipeline pipeline;
	struct softpt_freeze freeze;
	struct softpt_retirement *entry;
};

/* ---- triggers ---- */

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
 * @left: hits until it fires; 0: it has fired
 * @pending: SOFTPT_ON_EVENT and SOFTPT_ON_DEMAND: hits that the next event takes
 * @taken: SOFTPT_ON_COUNTER: overflows of the counter that were taken as hits
 */
struct softpt_trigger_slot {
	struct softpt_trigger set;
	u64 hits;
	u64 left;
	u64 pending;
	u64 taken;
};

/**
 * struct softpt_triggers - the triggers of a unit
 * @set: a bit for each that waits for something
 * @sources: a bit for each enum softpt_trigger_source that one of them has
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
 * @psbs_before: before what the last event wrote
 * @end_bytes: freeze with so many bytes; U64_MAX: not for that, as the next two
 * @end_tsc: at this time
 * @end_psbs: with so many PSBs
 * @slot: by index
 */
struct softpt_triggers {
	u8 set;
	u16 sources;
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
	u64 marked;
	u64 tsc;
	u64 ip;
	u64 psbs;
	u64 psbs_before;
	u64 end_bytes;
	u64 end_tsc;
	u64 end_psbs;
	struct softpt_trigger_slot slot[SOFTPT_TRIGGERS];
};

/* ---- the truth ---- */

/**
 * struct softpt_truth_log - where the truth goes, and how far time has come
 * @cur: the next record
 * @end: there is room up to here; what has none is lost
 * @lost: records that had no room
 * @base: position in the stream of the unit's first byte: what went elsewhere is no part of it
 * @mute: what the unit writes is thrown away
 * @incomplete: something was not said since the last record
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
	bool incomplete;
	bool began;
	u32 rem;
	u64 tsc;
	u64 cycles;
	u64 from;
	const u8 *cur_from;
	u64 bits;
	bool pending;
};

#endif /* _SOFTPT_ENGINE_PARTS_H */
