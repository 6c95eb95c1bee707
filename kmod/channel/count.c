// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a channel. What they count is the same in all channels of a trace, and each channel
 * counts what happens on its CPU.
 *
 * SOFTPT_COUNT is published to all channels with a number of its own (struct softpt_gate): each
 * does it before the next event that it sees, or when it is asked to, whichever comes first. So
 * there is one instant for all CPUs: that at which the number changed.
 */

#include "clock.h"
#include "channel/count.h"
#include "channel/page.h"

/**
 * softpt_channel_follow_count() - do what SOFTPT_COUNT asked for, unless that is done
 * @ch: the channel, owned by the caller
 */
void softpt_channel_follow_count(struct softpt_channel *ch)
{
	struct softpt_gate *gate = ch->gate;
	u32 seq = smp_load_acquire(&gate->count_seq);	/* pairs with softpt_gate_count() */

	if (seq == ch->follow.count_seq)
		return;
	ch->follow.count_tsc = gate->wall_clock ? gate->count.tsc : ch->engine.now;
	softpt_count_control(&ch->engine, ch->follow.count_tsc, &gate->count);
	ch->follow.count_seq = seq;
	softpt_channel_publish_counters(ch);
}

/**
 * softpt_channel_adopt_counters() - the channel's engine begins anew, and its counters with it
 * @ch: the channel, owned by the caller; the lock of its gate is held, perhaps on another CPU
 * @setup: counters are copied, values and all
 */
void softpt_channel_adopt_counters(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	const struct softpt_gate *gate = ch->gate;

	softpt_counters_adopt(&ch->engine, &setup->counters);
	ch->follow.count_seq = gate->count_seq;
	ch->follow.count_tsc = gate->wall_clock ? gate->count.tsc : 0;
	WRITE_ONCE(ch->shown.wrapped, false);
	softpt_channel_publish_counters(ch);
}

/**
 * softpt_channel_clock() - the time of the channel's time-stamp counter
 * @ch: the channel, owned by the caller
 *
 * Return: the TSC now if that is the clock, else the time of the last event.
 */
u64 softpt_channel_clock(const struct softpt_channel *ch)
{
	/* data_race(): before the start another thread may change source and clock. */
	if (data_race(ch->gate->wall_clock))
		return max_t(u64, softpt_clock(), ch->engine.now);
	return ch->engine.now;
}

struct read {
	struct softpt_channel *ch;
	struct softpt_counter_values *values;
};

static void read_values(void *data)
{
	const struct read *read = data;
	struct softpt_channel *ch = read->ch;

	softpt_channel_follow_count(ch);
	WRITE_ONCE(ch->shown.wrapped, false);
	softpt_counters_read(&ch->engine.counters, softpt_channel_clock(ch), read->values);
}

/**
 * softpt_channel_read_counters() - read all counters, and take the news of overflows away
 * @ch: the channel
 * @values: flags and thread are read, all else but the size is written
 */
void softpt_channel_read_counters(struct softpt_channel *ch, struct softpt_counter_values *values)
{
	struct read read = { ch, values };

	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, read_values, &read);
	mutex_unlock(&ch->lock);
}
