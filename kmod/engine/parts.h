/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of the state of an engine: context, clocks, counters, the retirement FIFO, triggers, the
 * truth. watch/, time/ and flow/ have the rules for them.
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
 * @ip: where it goes on, as far as events have it
 * @cr3: CR3
 * @cpl: CPL
 * @thread: hardware thread
 * @exec_mode: SOFTPT_MODE_CS*, SOFTPT_MODE_IF
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

/**
 * struct softpt_select - what an ESCR selects
 * @usr: a bit for each thread, at CPL 1 to 3
 * @os: a bit for each thread, at CPL 0
 * @mask: subclasses; 0: nothing is selected
 * @event_class: SOFTPT_CLASS_*
 */
struct softpt_select {
	u32 usr;
	u32 os;
	u16 mask;
	u8 event_class;
};

/**
 * struct softpt_counters - ESCRs, counters and the time-stamp counter
 * @wanted: a bit for each class that a running counter or a trigger selects
 * @of_class: for each class the running counters that select it
 * @running: a bit for each counter that counts
 * @set: counters that have an ESCR
 * @dirty: counters that are not cleared: started, or preset to more than zero
 * @overflowed: counters that wrapped since they were cleared or preset
 * @fresh: counters that wrapped since the owner of the engine last cleared this
 * @breaking: counters whose overflow is a micro-breakpoint
 * @breaks: counters of @breaking that wrapped since the owner last cleared this
 * @tsc_off: the time-stamp counter stands still
 * @tsc: value of the time-stamp counter; while it runs, the difference from the TSC
 * @value: of each counter, below 2^40
 * @overflows: of each counter, how often it wrapped since it was cleared or preset
 * @wraps: of each counter, how often it wrapped ever
 * @escr_of: of each counter, the ESCR that it is coupled to
 * @escr: what each ESCR selects
 * @bank: by thread, what each counter has counted: modulo 2^64, without preset
 * @packets: packets that the class `trace` has counted
 * @mtc: MTC packets that it has counted
 * @suppressed: suppressed MTCs that it has counted
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
 * @classes: a bit for each class with a condition that holds
 * @tsc: clocks are counted up to this time
 * @wake_at: end of a sleep, in which no clock passes; 0: there is no sleep
 * @open: of each class, the subclasses whose condition holds
 * @stage: of each class, the stage of the pipeline that holds an instruction; 0: not known
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
	SOFTPT_FIFO_FREEZING,	/* the counter has overflowed, the delays are not over */
	SOFTPT_FIFO_FROZEN,
};

/**
 * struct softpt_fifo - the retirement FIFO, and what freezes it
 * @state: enum softpt_fifo_state
 * @counter: its overflow freezes the FIFO
 * @flushed: the pipeline was flushed since the newest entry
 * @squashed: an instruction may have left the pipeline since the newest entry
 * @began: the clock runs
 * @accesses: of a program that is stepped: the instruction at @ip has not retired and accesses
 *	@data
 * @executes: of a program that is stepped: the clock is that of the instruction at @ip, which
 *	has not retired
 * @rem: fraction of a cycle, in 1/P1
 * @head: index of the next entry
 * @n: number of entries
 * @tsc: cycles are counted up to this time
 * @wake_at: end of a sleep, in which no cycle passes, traced or not; 0: there is no sleep
 * @since: cycles since the newest entry
 * @left: while freezing, cycles until the last clock that has an entry
 * @ip: address of the instruction that executes
 * @data: address that it accesses
 * @pipeline: model of the pipeline, by which the delays are known
 * @freeze: what is known of the overflow
 * @entry: a ring of @pipeline.depth entries; memory of the owner, for most engines need none
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

#define SOFTPT_TRIGGER_HELD	8	/* nested interrupts that are kept apart */

enum softpt_freezing {
	SOFTPT_FREEZE_NOT,
	SOFTPT_FREEZE_ENDS,	/* a TE has happened; the ring is frozen some time after it */
	SOFTPT_FREEZE_DUE,	/* the owner must freeze the ring: softpt_trigger_frozen() */
	SOFTPT_FREEZE_DONE,
};

/**
 * struct softpt_trigger_slot - one trigger
 * @set: what it waits for
 * @hits: how often that happened
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
 * struct softpt_triggers - the triggers of an engine
 * @set: a bit for each trigger that waits for something
 * @sources: a bit for each enum softpt_trigger_source that a trigger waits for
 * @freezing: enum softpt_freezing
 * @index: the trigger that fired last
 * @freezer: the trigger that has the ring frozen
 * @runs: execution runs on from @run
 * @held: number of addresses in @held_ip
 * @classes: a bit for each event class that a trigger waits for
 * @run: the address that was compared last
 * @held_ip: addresses that were compared before an interrupt; execution returns to them
 * @hits: hits of all triggers
 * @events: trigger events (TE)
 * @marked: trigger events whose @tsc and @ip were stored; none once a freeze has begun
 * @tsc: time of the last of @marked
 * @ip: its address
 * @psbs: PSBs of all time
 * @psbs_before: value of @psbs before the current event wrote its packets
 * @end_bytes: the ring is frozen with so many bytes; U64_MAX: bytes do not count
 * @end_tsc: the ring is frozen at this time; U64_MAX: time does not count
 * @end_psbs: the ring is frozen with so many PSBs; U64_MAX: they do not count
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
 * struct softpt_truth_log - where the truth goes
 * @cur: the next entry goes here
 * @end: there is room up to here; an entry without room is lost
 * @lost: entries that had no room
 * @base: position in the stream of the engine's first byte; bytes that are thrown away have none
 * @mute: what the engine writes is thrown away
 * @incomplete: an entry was lost or muted since the last that was written
 * @began: the clock runs
 * @rem: fraction of a cycle, in 1/P1
 * @tsc: cycles are counted up to this time
 * @cycles: core cycles that the clocks ran
 * @from: position in the stream where the current event began to write
 * @cur_from: the same in the sink
 * @bits: TNT bits of all time, before the current event
 * @pending: TNT bits were pending before the current event
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
