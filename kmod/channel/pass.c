// SPDX-License-Identifier: GPL-2.0-only
/* One event, and before it the PSB+ that a snapshot wants */

#include "channel/emit.h"
#include "channel/freeze.h"
#include "channel/pass.h"

/*
 * A snapshot must hold a PSB wherever it is frozen. The engine's own period may be
 * longer than the ring, so ask for one when half the ring went by without.
 */
static bool psb_wanted(const struct softpt_channel *ch)
{
	const struct softpt_engine *e = &ch->engine;
	const struct softpt_ring *ring = &ch->ring;

	return ring->snapshot && e->trigger_en && !e->overflow && !e->asleep &&
	       ring->head - ch->psb_at + softpt_ring_room(ring) >= ring->size / 2;
}

static int pass_one(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep)
{
	u64 head = ch->ring.head, psb_at = ch->engine.psb_at;
	int ret;

	softpt_channel_room(ch, keep, &ch->sink);
	ret = softpt_channel_emit(ch, ev);
	if (ch->engine.psb_at != psb_at)
		ch->psb_at = head;
	softpt_channel_follow(ch);
	return ret;
}

/**
 * softpt_channel_pass() - softpt_channel_emit(), and before it a PSB+ that a snapshot wants
 * @ch: the channel, owned by the caller
 * @ev: a valid event
 * @keep: bytes of the ring that must stay free
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_channel_pass(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = ch->engine.now };

	if (psb_wanted(ch) && pass_one(ch, &psb, keep))
		return SOFTPT_MORE;
	return pass_one(ch, ev, keep);
}
