/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that cannot wait. They come on the channel's CPU with interrupts off. */
#ifndef _SOFTPT_CHANNEL_LIVE_H
#define _SOFTPT_CHANNEL_LIVE_H

#include "channel/count.h"

void softpt_channel_event(struct softpt_channel *ch, const struct softpt_event *ev);
void softpt_channel_count_slow(struct softpt_channel *ch, u8 event_class, u16 submask, u8 cpl,
			       u8 thread);
void softpt_channel_stop_live(void *ch);
void softpt_channel_demand_live(struct softpt_channel *ch, u16 kind);

/**
 * softpt_channel_count() - something happened that counters may count
 * @ch: of the CPU that this runs on: softpt_gate_channel()
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 * @thread: hardware thread
 *
 * Context: interrupts off, on the channel's CPU, not NMI. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
static inline void softpt_channel_count(struct softpt_channel *ch, u8 event_class, u16 submask,
					u8 cpl, u8 thread)
{
	softpt_channel_recount(ch);
	if (unlikely(ch->engine.counters.wanted >> event_class & 1))
		softpt_channel_count_slow(ch, event_class, submask, cpl, thread);
}

#endif /* _SOFTPT_CHANNEL_LIVE_H */
