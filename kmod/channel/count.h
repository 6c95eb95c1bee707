/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a channel follow SOFTPT_COUNT. */
#ifndef _SOFTPT_CHANNEL_COUNT_H
#define _SOFTPT_CHANNEL_COUNT_H

#include "channel/channel.h"

u64 softpt_channel_clock(const struct softpt_channel *ch);
void softpt_channel_follow_count(struct softpt_channel *ch);
void softpt_channel_adopt_counters(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_read_counters(struct softpt_channel *ch, struct softpt_counter_values *values);

/* Between start and stop of the trace, as all events */
static inline bool softpt_channel_takes_events(const struct softpt_channel *ch)
{
	const struct softpt_gate *gate = ch->gate;

	return ch->running && READ_ONCE(gate->on) != U64_MAX &&
	       READ_ONCE(gate->off) == U64_MAX;
}

/* Counters start and stop before the event at hand. SOFTPT_COUNT asks a stopped channel. */
static inline void softpt_channel_recount(struct softpt_channel *ch)
{
	if (unlikely(READ_ONCE(ch->gate->count_seq) != ch->follow.count_seq) && ch->running)
		softpt_channel_follow_count(ch);
}

/**
 * softpt_channel_take_break() - whether a counter met a micro-breakpoint since the last call
 * @ch: of the CPU that this runs on
 *
 * Context: interrupts off.
 */
static inline bool softpt_channel_take_break(struct softpt_channel *ch)
{
	if (likely(!ch->engine.counters.breaks))
		return false;
	ch->engine.counters.breaks = 0;
	return true;
}

#endif /* _SOFTPT_CHANNEL_COUNT_H */
