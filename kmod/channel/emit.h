/* SPDX-License-Identifier: GPL-2.0-only */
/* An event goes through the unit's engine into its ring: inline, for each one does. */
#ifndef _SOFTPT_PUT_H
#define _SOFTPT_PUT_H

#include "channel/channel.h"
#include "queue.h"

/* start.c */
void softpt_channel_mark_done(struct softpt_channel *ch);
void softpt_channel_restart(struct softpt_channel *ch);

/* retire.c, page.c, freeze.c */
int softpt_channel_alloc_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_arm_triggers(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_publish_triggers(struct softpt_channel *ch);
void softpt_channel_triggered(struct softpt_channel *ch);

/* truth.c */
int softpt_channel_alloc_truth(struct softpt_channel *ch, const struct softpt_config *config);
void softpt_channel_free_truth(struct softpt_channel *ch);
void softpt_channel_renew_truth(struct softpt_channel *ch);
void softpt_channel_arm_truth(struct softpt_channel *ch);
void softpt_channel_publish_truth(struct softpt_channel *ch);
bool softpt_channel_truth_wakes(struct softpt_channel *ch);

/* feed.c */
int softpt_channel_pass(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep);
int softpt_channel_flush(struct softpt_channel *ch);
void softpt_channel_stop_fed(void *ch);
void softpt_channel_room_work(struct work_struct *work);

/* live.c */
void softpt_channel_stop_live(void *ch);
void softpt_channel_freeze_live(struct softpt_channel *ch);
void softpt_channel_demand_live(struct softpt_channel *ch, u16 kind);

/* hotplug.c */
int softpt_hotplug_add(struct softpt_channel *ch);

/* Between SOFTPT_ENABLE and SOFTPT_DISABLE, as all events */
static inline bool softpt_channel_takes_events(const struct softpt_channel *ch)
{
	const struct softpt_gate *gate = ch->gate;

	return ch->running && READ_ONCE(gate->on) != U64_MAX &&
	       READ_ONCE(gate->off) == U64_MAX;
}

/**
 * softpt_channel_emit() - one event, or as much of its gap as there is room for
 * @ch: the unit, owned by the caller
 * @ev: a valid event
 *
 * The room is what is left of that of the last softpt_ring_begin().
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

/**
 * softpt_channel_publish() - show the reader counts and flags
 * @ch: the unit, owned by the caller
 */
static inline void softpt_channel_publish(struct softpt_channel *ch)
{
	struct softpt_control *control = ch->ring.control;

	control->counts = ch->engine.counts;
	control->counts.bytes = ch->ring.head;
	WRITE_ONCE(ch->lost, ch->engine.counts.events_lost);
	WRITE_ONCE(control->flags, ch->flags);
	if (unlikely(ch->engine.counters.running))
		softpt_channel_publish_counters(ch);
	if (unlikely(ch->engine.triggers.hits != ch->hits))
		softpt_channel_publish_triggers(ch);
}

/**
 * softpt_channel_follow_triggers() - freeze, when a trigger wants it
 * @ch: the unit, owned by the caller, who asks after each call of the engine
 */
static inline void softpt_channel_follow_triggers(struct softpt_channel *ch)
{
	if (unlikely(ch->engine.triggers.set))
		softpt_channel_triggered(ch);
}

/**
 * softpt_channel_follow() - what else is to be done after each call of the engine
 * @ch: the unit, owned by the caller
 */
static inline void softpt_channel_follow(struct softpt_channel *ch)
{
	if (unlikely(ch->engine.truth))
		softpt_channel_publish_truth(ch);
	softpt_channel_follow_triggers(ch);
}

#endif /* _SOFTPT_PUT_H */
