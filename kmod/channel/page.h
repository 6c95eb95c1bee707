/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader sees without a system call */
#ifndef _SOFTPT_CHANNEL_PAGE_H
#define _SOFTPT_CHANNEL_PAGE_H

#include "channel/channel.h"

void softpt_channel_publish_counters(struct softpt_channel *ch);
void softpt_channel_publish_triggers(struct softpt_channel *ch);

/**
 * softpt_channel_publish() - show the reader counts and flags
 * @ch: the channel, owned by the caller
 */
static inline void softpt_channel_publish(struct softpt_channel *ch)
{
	struct softpt_control *control = ch->ring.control;

	control->counts = ch->engine.counts;
	control->counts.bytes = ch->ring.head;
	WRITE_ONCE(ch->loss.lost, ch->engine.counts.events_lost);
	WRITE_ONCE(control->flags, ch->flags);
	if (unlikely(ch->engine.counters.running))
		softpt_channel_publish_counters(ch);
	if (unlikely(ch->engine.triggers.hits != ch->shown.hits))
		softpt_channel_publish_triggers(ch);
}

#endif /* _SOFTPT_CHANNEL_PAGE_H */
