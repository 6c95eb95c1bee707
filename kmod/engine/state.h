/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of an engine. All rooms of the engine know this file; it knows none of them. */
#ifndef _SOFTPT_ENGINE_STATE_H
#define _SOFTPT_ENGINE_STATE_H

#include <linux/softpt.h>
#include <softpt/packets.h>
#include <softpt/params.h>
#include "../types.h"
#include "parts.h"
#include "sink.h"

#define SOFTPT_LIVE_GAP_BYTES	4096	/* a live gap that owes more has TSC, TMA, CBR instead */

/**
 * struct softpt_engine - an emulated trace unit
 * @now: TSC of the last event, or of the last thing that was due before the event at hand
 * @due: from this TSC on something is due before an event
 * @tnt: pending TNT bits, the oldest highest
 * @flags: SOFTPT_F_* of @cfg
 * @ntnt: number of bits in @tnt
 * @tnt_max: bits of a full TNT packet: 6 or 47
 * @packet_en: PacketEn
 * @trigger_en: TriggerEn
 * @context_en: ContextEn
 * @filter_en: FilterEn
 * @overflow: packets are lost until @stop.resume_at
 * @asleep: the clocks stand still until @stop.wake_at
 * @watched: softpt_watched_update()
 * @ratio_unknown: the core clock changed, and no packet has the new ratio
 * @checks_group: cyc=1 or resume=tsc: a CYC or a PAD may precede an event
 * @fills_gap: pre-roll or resume=tsc: packets precede an event behind missing MTCs
 * @live: of a program that runs: SOFTPT_LIVE_GAP_BYTES holds, and ret_pop() forgets
 * @enabled_before: the first enable, which sends a PSB+, is over
 * @mwait: the MWAIT packet waits for its EXSTOP
 * @last_ip: for IP compression
 * @psb_at: a PSB+ is due with so many bytes
 * @mark: where the current call began to write
 * @tnt_bits: TNT bits of all time
 * @wrap_at: before this TSC the cycle counter does not wrap; U64_MAX: it stands still
 * @context: where execution is
 * @mtc: MTC ticks
 * @counts: what the reader of the status gets
 * @ret: call addresses, for RET compression
 * @cycles: the cycle counter
 * @anchor: the last packets with an exact time
 * @stop: when what stands still goes on
 * @psb_held: an anchor is a PSB+ from so many bytes on; 0: a PSB+ needs no anchor
 * @psb_after: with fewer bytes no PSB+ is due: packets that belong together are being written
 * @shadow: ticks for the pre-roll
 * @cfg: the configuration
 * @counters: counters, see softpt_count()
 * @durations: durations that have a begin and an end
 * @fifo: the retirement FIFO
 * @triggers: triggers
 * @truth: memory of the owner; NULL: the truth is not wanted
 *
 * What most events need comes first and is four cache lines long. The engine has no lock: its
 * owner calls it for one event at a time.
 */
struct softpt_engine {
	u64 now;
	u64 due;
	u64 tnt;
	u32 flags;
	u8 ntnt;
	u8 tnt_max;
	bool packet_en;
	bool trigger_en;
	bool context_en;
	bool filter_en;
	bool overflow;
	bool asleep;
	bool watched;
	bool ratio_unknown;
	bool checks_group;
	bool fills_gap;
	bool live;
	bool enabled_before;
	bool mwait;
	u64 last_ip;
	u64 psb_at;

	const u8 *mark;
	u64 tnt_bits;
	u64 wrap_at;
	struct softpt_context context;
	struct softpt_mtc mtc;
	struct softpt_counts counts;

	struct softpt_ret_stack ret;
	struct softpt_cycles cycles;
	struct softpt_anchor anchor;
	struct softpt_stop stop;
	u64 psb_held;
	u64 psb_after;
	struct softpt_shadow shadow;
	struct softpt_config cfg;

	struct softpt_counters counters;
	struct softpt_durations durations;
	struct softpt_fifo fifo;
	struct softpt_triggers triggers;
	struct softpt_truth_log *truth;
};

/* Packets are generated at all: tracing is on and none are being lost. */
static inline bool softpt_on(const struct softpt_engine *e)
{
	return e->trigger_en && !e->overflow;
}

/* The FIFO follows events. Of a live channel, softpt_fifo_retire() fills it. */
static inline bool softpt_fifo_follows(const struct softpt_engine *e)
{
	return e->fifo.state && !e->live;
}

/*
 * One test in the path of each event stands for many: packets are lost or counted, durations
 * are counted, the FIFO follows events, triggers are armed, or the truth is wanted.
 */
static inline void softpt_watched_update(struct softpt_engine *e)
{
	e->watched = e->overflow || e->counters.wanted >> SOFTPT_CLASS_TRACE & 1 ||
		     e->durations.classes || softpt_fifo_follows(e) || e->triggers.set || e->truth;
}

/* ContextEn, as it follows from CPL and CR3 */
static inline bool softpt_context_en(const struct softpt_engine *e)
{
	return (e->flags & (e->context.cpl ? SOFTPT_F_USER : SOFTPT_F_OS)) &&
	       (!(e->flags & SOFTPT_F_CR3) || e->context.cr3 == e->cfg.cr3);
}

static inline bool softpt_is_flow(const struct softpt_event *ev)
{
	return ev->kind >= SOFTPT_EV_JCC && ev->kind <= SOFTPT_EV_INTR;
}

/* An event that is no branch may have its address. */
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

/* The event has its address: execution got there. */
static inline bool softpt_has_ip(const struct softpt_event *ev)
{
	return softpt_is_flow(ev) || softpt_has_optional_ip(ev);
}

/* End of a call: count the bytes since @mark. Return: @ret */
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
	u64 bytes = softpt_bytes(e, s);

	return bytes >= e->psb_at && bytes >= e->psb_after;
}

/* A PSB+ is due now. */
static inline void softpt_psb_demand(struct softpt_engine *e)
{
	e->psb_at = 0;
	e->psb_after = 0;
}

static inline void softpt_due_update(struct softpt_engine *e)
{
	if (e->asleep)
		e->due = 0;	/* any event wakes */
	else if (e->overflow)
		e->due = e->stop.resume_at;
	else
		e->due = min(e->mtc.next.tsc, e->wrap_at);
}

/* A sum that does not wrap. U64_MAX is never. */
static inline u64 softpt_sum(u64 a, u64 b)
{
	return a > U64_MAX - b ? U64_MAX : a + b;
}

#endif /* _SOFTPT_ENGINE_STATE_H */
