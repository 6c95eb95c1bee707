/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that can wait, given from process context: a full ring makes the source wait. */
#ifndef _SOFTPT_CHANNEL_FEED_H
#define _SOFTPT_CHANNEL_FEED_H

#include "channel/channel.h"

ssize_t softpt_channel_feed(struct softpt_channel *ch, const struct softpt_event *ev, size_t n);
int softpt_channel_finish(struct softpt_channel *ch);
void softpt_channel_stop_fed(void *ch);
int softpt_channel_demand_fed(struct softpt_channel *ch, u16 kind);

#endif /* _SOFTPT_CHANNEL_FEED_H */
