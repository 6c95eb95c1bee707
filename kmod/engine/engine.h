/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The emulated trace unit: events in, packets out.
 *
 * Pure C: no kernel call, no allocation, no lock, no clock of its own. Time comes
 * in with each event. The same files run in the module, in `softpt sim`, in the
 * tests and in the fuzzers. (Documentation/engine.rst)
 *
 *	event -> time: ticks, cycles (timing.c) -> suppressor (suppress.h)
 *	      -> filters (context.c) -> flow packets (flow.c) -> sink
 *	      -> counters (counter.c) -> retirements behind an event (address.c)
 *	      -> triggers (trigger.c) -> what really happened, where asked (truth.c)
 */
#ifndef _SOFTPT_ENGINE_H
#define _SOFTPT_ENGINE_H

#include <linux/softpt.h>
#include <softpt/ctc.h>
#include <softpt/packets.h>
#include <softpt/params.h>
#include "address.h"
#include "counter.h"
#include "duration.h"
#include "suppress.h"
#include "trigger.h"
#include "truth.h"
#include "types.h"

/* What softpt_engine_event() returns when the sink is too full to finish the event */
#define SOFTPT_MORE		1

/* What may precede the first packet of a run: 46 TNT bits that waited, and a MODE.Exec */
#define SOFTPT_RUN_BEFORE	10

#define SOFTPT_RET_DEPTH	64
#define SOFTPT_LIVE_GAP_BYTES	4096	/* a live gap that owes more is healed by TSC, TMA, CBR */

/* Bytes go to cur, which moves up to end at most. */
struct softpt_sink {
	u8 *cur;
	u8 *end;
};

/* An MTC tick that was suppressed, kept for the pre-roll */
struct softpt_shadow {
	u64 cycles;		/* cycle counter at the tick */
	u8 payload;
};

struct softpt_engine {
	/* hot: what most events touch */
	u64 now;		/* TSC of the last event */
	u64 due;		/* TSC at which something is due without an event */
	u64 tnt;		/* pending TNT bits, the oldest highest */
	u32 flags;		/* SOFTPT_F_* */
	u8 ntnt;
	u8 tnt_max;		/* 6 or 47 */
	bool packet_en;
	bool trigger_en;
	bool context_en;
	bool filter_en;
	bool overflow;		/* packets are being lost until resume_at */
	bool slow;		/* they are lost or counted, or something looks on */
	bool asleep;		/* clocks are stopped until wake_at */
	bool unannounced;	/* the ratio changed and no packet has said so */
	bool careful;		/* cyc=1 or resume=tsc: more may precede an event */
	bool heals;		/* pre-roll or resume=tsc: it does after missing MTCs */
	u64 last_ip;		/* for IP compression */
	u64 psb_at;		/* byte count at which PSB+ is due */
	const u8 *mark;		/* where this call's bytes began */

	/* core cycles (timing.c) */
	u64 cyc_tsc;		/* TSC up to which cyc is counted */
	u64 cyc;		/* cycles since the last CYC, at cyc_tsc */
	u64 cyc_max;		/* 2^cyc_bits - 1 */
	u64 cyc_span;		/* TSC ticks in which the counter cannot wrap from zero */
	u64 wrap_at;		/* TSC before which it does not wrap */
	u32 cyc_rem;		/* fraction of a cycle, in 1/P1 */
	u32 cyc_thresh;		/* in cycles */
	u8 ratio;		/* core:bus */
	bool enabled_before;
	bool mwait;		/* an MWAIT packet waits for its EXSTOP */

	/* MTC ticks (timing.c) */
	struct softpt_ticks ticks;
	struct softpt_tick next;	/* its TSC is U64_MAX while no ticks run */
	u64 gap_max;		/* TSC ticks of a live gap that owes SOFTPT_LIVE_GAP_BYTES */
	u64 plain_span;		/* TSC ticks in which nothing but ticks may be due; may be 0 */
	struct softpt_suppressor sup;
	u64 missing;		/* ticks suppressed since the last anchor */
	u32 left;		/* the suppressor's credit at the last anchor */
	u64 resume_at;		/* end of the overflow */
	u64 resumed_at;		/* when the last one really ended */
	u64 wake_at;		/* end of the sleep */
	u64 woke_at;
	u8 nshadow;
	struct softpt_shadow shadow[4];

	/* context */
	u64 cr3;
	u64 ip;			/* where execution goes on, as far as known */
	u8 cpl;
	u8 thread;		/* hardware thread */
	u8 exec_mode;		/* SOFTPT_MODE_CS* */
	u8 exec_sent;		/* the mode of the last MODE.Exec since PSB, or 0xff */
	bool ranges;		/* any address range is configured */
	bool filters;		/* any of them is a filter */

	bool live;		/* of a program that runs: SOFTPT_LIVE_GAP_BYTES, ret_pop() */
	struct softpt_counts counts;
	u64 tnt_bits;		/* ever appended */
	u64 anchor_end;		/* byte count behind the last TSC, TMA */
	u64 anchor_tsc;		/* U64_MAX: it belongs to an OVF */
	u64 psb_held;		/* byte count at which an anchor is a PSB+; 0: none is held */
	struct softpt_config cfg;
	u32 ret_top;
	u32 ret_n;
	u64 ret[SOFTPT_RET_DEPTH];
	struct softpt_counters counters;
	struct softpt_durations durations;
	struct softpt_fifo fifo;
	struct softpt_triggers triggers;
	struct softpt_truth_log *truth;	/* the front end's; NULL: nobody asks */
};

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
 * softpt_engine_finish() - end of the input, or freeze: TNT flush and closing anchor
 * @e: the unit
 * @s: where packets go
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_engine_finish(struct softpt_engine *e, struct softpt_sink *s);

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

/**
 * softpt_count() - something happened that counters may count
 * @e: the unit; its thread and CPL qualify
 * @event_class: 0 to 63
 * @submask: the subclasses that it belongs to
 * @n: occurrences in this clock, or clocks of a duration
 */
static inline void softpt_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	if (unlikely(e->counters.wanted >> event_class & 1))
		softpt_count_slow(e, event_class, submask, n);
}

#endif /* _SOFTPT_ENGINE_H */
