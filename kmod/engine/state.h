/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of an engine. All rooms of the engine know this file; it knows none of them. */
#ifndef _SOFTPT_ENGINE_STATE_H
#define _SOFTPT_ENGINE_STATE_H

#include <linux/softpt.h>
#include <softpt/ctc.h>
#include <softpt/packets.h>
#include <softpt/params.h>
#include "../types.h"
#include "parts.h"
#include "sink.h"

#define SOFTPT_RET_DEPTH	64
#define SOFTPT_LIVE_GAP_BYTES	4096	/* a live gap that owes more is healed by TSC, TMA, CBR */

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
	bool watched;		/* they are lost or counted, or something looks on */
	bool asleep;		/* clocks are stopped until wake_at */
	bool ratio_unknown;	/* the ratio changed and no packet has said so */
	bool checks_group;	/* cyc=1 or resume=tsc: more may precede an event */
	bool fills_gap;		/* pre-roll or resume=tsc: it does after missing MTCs */
	u64 last_ip;		/* for IP compression */
	u64 psb_at;		/* byte count at which PSB+ is due */
	const u8 *mark;		/* where this call's bytes began */

	/* core cycles (time/cycles.c) */
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

	/* MTC ticks (time/ticks.c) */
	struct softpt_ticks ticks;
	struct softpt_tick next;	/* its TSC is U64_MAX while no ticks run */
	u64 gap_max;		/* TSC ticks of a live gap that owes SOFTPT_LIVE_GAP_BYTES */
	u64 plain_span;		/* TSC ticks in which nothing but ticks may be due; may be 0 */
	struct softpt_suppressor sup;
	u64 missing;		/* ticks suppressed since the last anchor */
	u32 left;		/* the suppressor's credit at the last anchor */
	u64 resume_at;		/* end of the overflow */
	u64 wake_at;		/* end of the sleep */
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

/* Packets are generated at all: tracing is on and none are being lost. */
static inline bool softpt_on(const struct softpt_engine *e)
{
	return e->trigger_en && !e->overflow;
}

/* The events tell what retires. A live source tells it by itself. */
static inline bool softpt_fifo_follows(const struct softpt_engine *e)
{
	return e->fifo.state && !e->live;
}

/*
 * Packets are lost or counted, durations counted, retirements recorded, triggers armed, or the
 * truth is told: one test in the path of all events
 */
static inline void softpt_watched_update(struct softpt_engine *e)
{
	e->watched = e->overflow || e->counters.wanted >> SOFTPT_CLASS_TRACE & 1 ||
		  e->durations.classes || softpt_fifo_follows(e) || e->triggers.set || e->truth;
}

/* What ContextEn is, with this CPL and CR3 */
static inline bool softpt_context(const struct softpt_engine *e)
{
	return (e->flags & (e->cpl ? SOFTPT_F_USER : SOFTPT_F_OS)) &&
	       (!(e->flags & SOFTPT_F_CR3) || e->cr3 == e->cfg.cr3);
}

static inline bool softpt_is_flow(const struct softpt_event *ev)
{
	return ev->kind >= SOFTPT_EV_JCC && ev->kind <= SOFTPT_EV_INTR;
}

/* Where an event that is no flow happened is known */
static inline bool softpt_has_optional_ip(const struct softpt_event *ev)
{
	switch (ev->kind) {
	case SOFTPT_EV_DISABLE:
	case SOFTPT_EV_PTW:
	case SOFTPT_EV_CFE:
	case SOFTPT_EV_TSX:
		return ev->flags & SOFTPT_EVF_IP;
	default:
		return false;
	}
}

/* Where the event happened is known: execution has arrived there */
static inline bool softpt_has_ip(const struct softpt_event *ev)
{
	return softpt_is_flow(ev) || softpt_has_optional_ip(ev);
}

/* The end of a call: bytes written since @mark belong to the counts now. */
static inline int softpt_end_call(struct softpt_engine *e, const struct softpt_sink *s, int ret)
{
	e->counts.bytes += s->cur - e->mark;
	return ret;
}

/* Bytes written so far */
static inline u64 softpt_bytes(const struct softpt_engine *e, const struct softpt_sink *s)
{
	return e->counts.bytes + (u64)(s->cur - e->mark);
}

static inline bool softpt_psb_due(const struct softpt_engine *e, const struct softpt_sink *s)
{
	return softpt_bytes(e, s) >= e->psb_at;
}

static inline void softpt_due_update(struct softpt_engine *e)
{
	if (e->asleep)
		e->due = 0;	/* any event wakes */
	else if (e->overflow)
		e->due = e->resume_at;
	else
		e->due = min(e->next.tsc, e->wrap_at);
}

/* A sum that can't wrap: what is that far away is as good as never. */
static inline u64 softpt_sum(u64 a, u64 b)
{
	return a > U64_MAX - b ? U64_MAX : a + b;
}

#endif /* _SOFTPT_ENGINE_STATE_H */
