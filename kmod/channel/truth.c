// SPDX-License-Identifier: GPL-2.0-only
/*
 * The truth ring of a unit: a ring like that of the packets, in which the engine says what wrote
 * each piece of them, and when. Nobody waits for room in it. (Documentation/truth.rst)
 */

#include "channel/emit.h"

/* As many whole records as there is room for now */
static void find_room(struct softpt_channel *ch)
{
	struct softpt_truth_log *log = &ch->log;
	struct softpt_sink room;

	softpt_ring_begin(&ch->truth, 0, &room);
	log->cur = (struct softpt_truth *)room.cur;
	log->end = log->cur + (room.end - room.cur) / sizeof(*log->cur);
}

/**
 * softpt_channel_alloc_truth() - memory for the truth, where the session asks for it
 * @ch: new
 * @config: of its session
 *
 * Return: as softpt_ring_init().
 */
int softpt_channel_alloc_truth(struct softpt_channel *ch, const struct softpt_config *config)
{
	struct softpt_config truth = { .ring = config->truth, .mode = SOFTPT_RING_STREAM };

	return config->truth ? softpt_ring_init(&ch->truth, &truth, ch->cpu) : 0;
}

void softpt_channel_free_truth(struct softpt_channel *ch)
{
	if (ch->truth.size)
		softpt_ring_free(&ch->truth);
}

/**
 * softpt_channel_renew_truth() - the engine is new, and its clock may begin anywhere
 * @ch: the unit, owned by the caller
 *
 * Bits that waited in the engine before are never written: to the reader that is a hole.
 */
void softpt_channel_renew_truth(struct softpt_channel *ch)
{
	struct softpt_truth_log *log = &ch->log;

	*log = (struct softpt_truth_log){
		.lost = log->lost,
		.torn = log->torn || log->began,
	};
}

/**
 * softpt_channel_arm_truth() - the engine is new, or goes on
 * @ch: the unit, owned by the caller
 */
void softpt_channel_arm_truth(struct softpt_channel *ch)
{
	if (!ch->truth.size)
		return;
	ch->log.base = ch->ring.head - ch->engine.counts.bytes;
	find_room(ch);
	softpt_truth_arm(&ch->engine, &ch->log);
}

/**
 * softpt_channel_publish_truth() - show the reader what the engine has said
 * @ch: the unit, owned by the caller
 */
void softpt_channel_publish_truth(struct softpt_channel *ch)
{
	struct softpt_ring *ring = &ch->truth;
	const u8 *from = ring->data + (ring->head & (ring->size - 1));
	struct softpt_counts *counts = &ring->control->counts;

	softpt_ring_commit(ring, (const u8 *)ch->log.cur - from);
	counts->bytes = ring->head;
	counts->events = ring->head / sizeof(struct softpt_truth);
	counts->events_lost = ch->log.lost;
	find_room(ch);
}

/* Whether as much is unread as the reader waits for */
bool softpt_channel_truth_waits(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->truth;
	u64 pos;

	return ring->size && softpt_ring_unread(ring, &pos) >= softpt_ring_watermark(ring);
}

/*
 * Whether somebody sleeps until it does: who reads packets alone is not to be woken by what
 * nobody takes away. All of @readable are woken, so nobody wakes @truth_polled.
 */
bool softpt_channel_truth_wakes(struct softpt_channel *ch)
{
	/* Behind the barrier of wq_has_sleeper(), which the caller has asked of @readable */
	return waitqueue_active(&ch->truth_polled) && softpt_channel_truth_waits(ch);
}
