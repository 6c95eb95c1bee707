// SPDX-License-Identifier: GPL-2.0-only
/*
 * The truth ring of a channel: a ring like that of the packets, in which the engine says what wrote
 * each piece of them, and when. Nobody waits for room in it. (Documentation/reference/truth.rst)
 */

#include "channel/truth.h"

/* As many whole records as there is room for now */
static void find_room(struct softpt_channel *ch)
{
	struct softpt_truth_log *log = &ch->truth.log;
	u64 room;

	log->cur = (struct softpt_truth *)softpt_ring_begin(&ch->truth.ring, 0, &room);
	log->end = log->cur + room / sizeof(*log->cur);
}

/**
 * softpt_channel_alloc_truth() - memory for the truth, where the trace asks for it
 * @ch: new
 * @config: of the trace
 *
 * Return: as softpt_ring_init().
 */
int softpt_channel_alloc_truth(struct softpt_channel *ch, const struct softpt_config *config)
{
	struct softpt_config truth = { .ring = config->truth, .mode = SOFTPT_RING_STREAM };

	return config->truth ? softpt_ring_init(&ch->truth.ring, &truth, ch->cpu) : 0;
}

void softpt_channel_free_truth(struct softpt_channel *ch)
{
	if (ch->truth.ring.size)
		softpt_ring_free(&ch->truth.ring);
}

/**
 * softpt_channel_renew_truth() - the engine is new, and its clock may begin anywhere
 * @ch: the channel, owned by the caller
 *
 * Bits that waited in the engine before are never written: to the reader that is a hole.
 */
void softpt_channel_renew_truth(struct softpt_channel *ch)
{
	struct softpt_truth_log *log = &ch->truth.log;

	*log = (struct softpt_truth_log){
		.lost = log->lost,
		.incomplete = log->incomplete || log->began,
	};
}

/**
 * softpt_channel_arm_truth() - the engine is new, or goes on
 * @ch: the channel, owned by the caller
 */
void softpt_channel_arm_truth(struct softpt_channel *ch)
{
	if (!ch->truth.ring.size)
		return;
	ch->truth.log.base = ch->ring.head - ch->engine.counts.bytes;
	find_room(ch);
	softpt_truth_arm(&ch->engine, &ch->truth.log);
}

/**
 * softpt_channel_publish_truth() - show the reader what the engine has said
 * @ch: the channel, owned by the caller
 */
void softpt_channel_publish_truth(struct softpt_channel *ch)
{
	struct softpt_ring *ring = &ch->truth.ring;
	const u8 *from = ring->data + (ring->head & (ring->size - 1));
	struct softpt_counts *counts = &ring->control->counts;

	softpt_ring_commit(ring, (const u8 *)ch->truth.log.cur - from);
	counts->bytes = ring->head;
	counts->events = ring->head / sizeof(struct softpt_truth);
	counts->events_lost = ch->truth.log.lost;
	find_room(ch);
}

/* Whether as much is unread as the reader waits for */
bool softpt_channel_truth_waits(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->truth.ring;
	u64 pos;

	return ring->size && softpt_ring_unread(ring, &pos) >= softpt_ring_watermark(ring);
}

/*
 * True if a reader waits for the truth ring and it holds enough. Readers of packets alone must not
 * be woken by it. The wake-up itself goes to @wait.rd_wait, on which readers of the truth wait too;
 * @wait.truth_wait only shows that there are some.
 */
bool softpt_channel_truth_wakes(struct softpt_channel *ch)
{
	/* Behind the barrier of wq_has_sleeper(), which the caller has asked of @wait.rd_wait */
	return waitqueue_active(&ch->wait.truth_wait) && softpt_channel_truth_waits(ch);
}
