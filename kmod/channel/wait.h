/* SPDX-License-Identifier: GPL-2.0-only */
/* Who waits for bytes, or for room */
#ifndef _SOFTPT_CHANNEL_WAIT_H
#define _SOFTPT_CHANNEL_WAIT_H

#include "channel/channel.h"

/* A stream keeps room for its end: TNT flush and closing anchor. */
static inline u64 softpt_channel_end_room(const struct softpt_channel *ch)
{
	return ch->ring.snapshot ? 0 : SOFTPT_GROUP_MAX;
}

static inline bool softpt_channel_has_room(const struct softpt_channel *ch)
{
	return softpt_ring_room(&ch->ring) >= softpt_channel_end_room(ch) + SOFTPT_GROUP_MAX;
}

void softpt_channel_init_wait(struct softpt_channel *ch);
bool softpt_channel_ended(const struct softpt_channel *ch);
bool softpt_channel_readable(const struct softpt_channel *ch);
void softpt_channel_wake_readers(struct softpt_channel *ch);
bool softpt_channel_writable(struct softpt_channel *ch);
void softpt_channel_wake_writers(struct softpt_channel *ch);
void softpt_channel_watch_room(struct softpt_channel *ch);
int softpt_channel_wait_room(struct softpt_channel *ch);

#endif /* _SOFTPT_CHANNEL_WAIT_H */
