// SPDX-License-Identifier: GPL-2.0-only
/* The end of what a channel writes */

#include "channel/emit.h"
#include "channel/page.h"

/**
 * softpt_channel_flush() - TNT flush and closing anchor
 * @ch: the channel, owned by the caller
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_channel_flush(struct softpt_channel *ch)
{
	struct softpt_sink sink;
	const u8 *from;
	int ret;

	softpt_channel_room(ch, 0, &sink);
	from = sink.cur;
	ret = softpt_engine_flush(&ch->engine, &sink);
	softpt_ring_commit(&ch->ring, sink.cur - from);
	return ret;
}

/**
 * softpt_channel_mark_done() - no event is taken any more
 * @ch: the channel, owned by the caller
 */
void softpt_channel_mark_done(struct softpt_channel *ch)
{
	softpt_channel_force_check(ch);
	softpt_fifo_end(&ch->engine);
	WRITE_ONCE(ch->running, false);
	/* Release: who sees it sees all packets, too (softpt_channel_ended()) */
	smp_store_release(&ch->flags, (ch->flags & ~SOFTPT_ST_ENABLED) | SOFTPT_ST_DONE);
	softpt_channel_publish(ch);
}
