/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A live channel whose ring is full loses packets, never the engine's state.
 *
 * A lossless channel is full earlier: who is traced waits elsewhere (softpt_channel_crowded()), and
 * what comes before it does has room still.
 */
#ifndef _SOFTPT_CHANNEL_LOSS_H
#define _SOFTPT_CHANNEL_LOSS_H

#include "channel/emit.h"

/* Kept free so that the closing anchor precedes a loss */
#define SOFTPT_RESERVE	(2 * SOFTPT_GROUP_MAX)

void softpt_channel_lose(struct softpt_channel *ch);
void softpt_channel_lose_event(struct softpt_channel *ch, const struct softpt_event *ev);
void softpt_channel_lose_dropped(struct softpt_channel *ch, u64 dropped);
void softpt_channel_add_lost(struct softpt_channel *ch, u64 n);
bool softpt_channel_may_resume(const struct softpt_channel *ch);
u64 softpt_channel_before_crowded(const struct softpt_ring *ring);
bool softpt_channel_crowd(struct softpt_channel *ch);
void softpt_channel_uncrowd(struct softpt_channel *ch);
bool softpt_channel_crowded(struct softpt_channel *ch);

static inline u64 softpt_channel_reserve(const struct softpt_channel *ch)
{
	return ch->ring.snapshot ? 0 : SOFTPT_RESERVE;
}

/* Bytes that must stay free */
static inline u64 softpt_channel_kept(const struct softpt_channel *ch)
{
	if (likely(!ch->loss.lossless) || ch->loss.crowded)
		return softpt_channel_reserve(ch);
	return ch->ring.size - softpt_channel_before_crowded(&ch->ring) - SOFTPT_GROUP_MAX;
}

static inline bool softpt_channel_can_go_on(const struct softpt_channel *ch)
{
	return softpt_ring_room(&ch->ring) >= softpt_channel_kept(ch) + SOFTPT_GROUP_MAX;
}

/* What never reached the engine is a loss like any other. Context: owned by the caller. */
static inline void softpt_channel_note_dropped(struct softpt_channel *ch)
{
	u64 dropped = atomic64_read(&ch->dropped);

	if (unlikely(dropped != ch->dropped_seen))
		softpt_channel_lose_dropped(ch, dropped);
}

/* An event did not reach the engine. Context: the channel's CPU, any, NMI too. */
static inline void softpt_channel_drop(struct softpt_channel *ch)
{
	atomic64_inc(&ch->dropped);
	softpt_channel_force_check(ch);
}

#endif /* _SOFTPT_CHANNEL_LOSS_H */
