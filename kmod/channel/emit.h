/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine writes into the ring, behind the last event: inline, for each event does. */
#ifndef _SOFTPT_CHANNEL_EMIT_H
#define _SOFTPT_CHANNEL_EMIT_H

#include "channel/count.h"

/**
 * softpt_channel_room() - room for the engine
 * @ch: the channel, owned by the caller
 * @keep: bytes of the ring that must stay free
 * @sink: set to the rest of the room
 */
static inline void softpt_channel_room(struct softpt_channel *ch, u64 keep,
				       struct softpt_sink *sink)
{
	u64 room;
	u8 *at = softpt_ring_begin(&ch->ring, keep, &room);

	/* In this order: an NMI in between may take the room (softpt_channel_force_check()) */
	WRITE_ONCE(sink->cur, at);
	WRITE_ONCE(sink->end, at + room);
}

/**
 * softpt_channel_force_check() - leave no room: the next event does not go on where the last ended
 * @ch: of this CPU; may be inside of the engine, in an NMI
 */
static inline void softpt_channel_force_check(struct softpt_channel *ch)
{
	WRITE_ONCE(ch->sink.end, ch->sink.cur);
}

/**
 * softpt_channel_emit() - one event, or as much of its gap as there is room for
 * @ch: the channel, owned by the caller
 * @ev: a valid event
 *
 * The room is what is left of that of the last softpt_channel_room().
 *
 * Return: 0 or SOFTPT_MORE.
 */
static inline int softpt_channel_emit(struct softpt_channel *ch, const struct softpt_event *ev)
{
	struct softpt_sink *sink = &ch->sink;
	const u8 *from = sink->cur;
	int ret;

	softpt_channel_recount(ch);
	ret = softpt_engine_event(&ch->engine, ev, sink);
	softpt_ring_commit(&ch->ring, sink->cur - from);
	return ret;
}

int softpt_channel_flush(struct softpt_channel *ch);
void softpt_channel_mark_done(struct softpt_channel *ch);

#endif /* _SOFTPT_CHANNEL_EMIT_H */
