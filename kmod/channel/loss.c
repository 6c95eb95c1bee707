// SPDX-License-Identifier: GPL-2.0-only
/* Packets are lost, or who is traced waits instead (loss.h). The channel is owned by the caller. */

#include <linux/minmax.h>

#include "channel/loss.h"

/* What resuming writes, and some more: an OVF for every few events would be of no use. */
#define RESUME_ROOM	(SOFTPT_RESERVE + 2 * SOFTPT_GROUP_MAX + 4096)

/* For the events before the one who is traced waits: the last of each task, and its gap */
#define LAST_ROOM	(64 * 1024)

/**
 * softpt_channel_before_crowded() - unread bytes that a lossless channel's ring may have
 * @ring: its ring
 *
 * With more who is traced is to wait.
 */
u64 softpt_channel_before_crowded(const struct softpt_ring *ring)
{
	u64 last = min_t(u64, LAST_ROOM, ring->size / 4 + SOFTPT_GROUP_MAX);

	return ring->size - SOFTPT_RESERVE - last - SOFTPT_GROUP_MAX;
}

/* Who is traced is to wait. Return: false when it is so already, or the channel is not lossless. */
bool softpt_channel_crowd(struct softpt_channel *ch)
{
	if (!ch->loss.lossless || ch->loss.crowded)
		return false;
	WRITE_ONCE(ch->loss.crowded, true);
	return true;
}

/* Who is traced need not wait any more, if there is enough room: not for a few events. */
void softpt_channel_uncrowd(struct softpt_channel *ch)
{
	u64 enough = softpt_channel_before_crowded(&ch->ring);

	if (softpt_ring_used(&ch->ring) <= enough - min_t(u64, enough / 4, 4096))
		WRITE_ONCE(ch->loss.crowded, false);
}

/**
 * softpt_channel_crowded() - whether who is traced is to wait for the reader
 * @ch: of the CPU that this runs on; perf's may be stopped by this
 *
 * Context: interrupts off.
 */
bool softpt_channel_crowded(struct softpt_channel *ch)
{
	if (likely(!ch->loss.crowded))
		return false;
	if (ch->notify)
		ch->notify(ch);		/* asks perf how far its reader is */
	softpt_channel_uncrowd(ch);
	return ch->loss.crowded && ch->running;
}

/* Where the engine may write while packets are lost: bytes that nobody reads */
static void begin_scratch(struct softpt_channel *ch, struct softpt_sink *sink)
{
	sink->cur = ch->loss.scratch;
	sink->end = ch->loss.scratch + sizeof(ch->loss.scratch);
	ch->truth.log.mute = true;
}

/* A stream that lost a PSB+ or a closing anchor needs a new PSB+ to be read again. */
static void end_scratch(struct softpt_channel *ch, const struct softpt_sink *sink)
{
	bool any = sink->cur != ch->loss.scratch;

	ch->loss.resync |= any;
	ch->truth.log.incomplete |= any;
	ch->truth.log.base = ch->ring.head - ch->engine.counts.bytes;
	ch->truth.log.mute = false;
}

/**
 * softpt_channel_lose() - packets are lost from here on
 * @ch: the channel
 */
void softpt_channel_lose(struct softpt_channel *ch)
{
	struct softpt_sink sink;
	const u8 *from;

	if (ch->loss.losing)
		return;
	ch->loss.losing = true;
	softpt_channel_force_check(ch);
	if (softpt_ring_room(&ch->ring) >= SOFTPT_GROUP_MAX) {
		softpt_channel_room(ch, 0, &sink);
		from = sink.cur;
		softpt_engine_lose(&ch->engine, &sink);
		softpt_ring_commit(&ch->ring, sink.cur - from);
	} else {
		begin_scratch(ch, &sink);	/* the reader moved its tail backwards */
		softpt_engine_lose(&ch->engine, &sink);
		end_scratch(ch, &sink);
	}
}

/**
 * softpt_channel_lose_event() - an event changes the engine's state and nothing else
 * @ch: a channel that loses packets
 * @ev: a valid event
 *
 * One that enables the trace cannot be written either, so the loss begins anew with it.
 */
void softpt_channel_lose_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	struct softpt_sink sink;

	WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	begin_scratch(ch, &sink);
	softpt_engine_event(&ch->engine, ev, &sink);
	end_scratch(ch, &sink);
	begin_scratch(ch, &sink);
	softpt_engine_lose(&ch->engine, &sink);
	end_scratch(ch, &sink);
}

/**
 * softpt_channel_lose_dropped() - events that never reached the engine are lost
 * @ch: the channel
 * @dropped: how many there were ever
 */
void softpt_channel_lose_dropped(struct softpt_channel *ch, u64 dropped)
{
	ch->engine.counts.events_lost += dropped - ch->dropped_seen;
	ch->dropped_seen = dropped;
	WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	softpt_channel_lose(ch);
}

/**
 * softpt_channel_may_resume() - whether a channel that loses packets has room to go on
 * @ch: the channel
 */
bool softpt_channel_may_resume(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->ring;
	u64 enough = ring->snapshot ? SOFTPT_GROUP_MAX : min_t(u64, RESUME_ROOM, ring->size / 2);

	return softpt_ring_room(ring) >= enough;
}

/**
 * softpt_channel_add_lost() - events that happened where there was no channel are lost
 * @ch: of the CPU that this runs on, or of another (softpt_gate_any_channel())
 * @n: how many
 *
 * Context: interrupts off.
 */
void softpt_channel_add_lost(struct softpt_channel *ch, u64 n)
{
	atomic64_add(n, &ch->dropped);
	/* The channel of another CPU looks for itself. */
	if (ch == softpt_gate_channel(ch->gate))
		softpt_channel_force_check(ch);
}
