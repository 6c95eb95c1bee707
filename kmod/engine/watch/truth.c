// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which event wrote each piece of the stream, and when it happened */
#include "truth.h"

void softpt_truth_arm(struct softpt_engine *e, struct softpt_truth_log *log)
{
	e->truth = log;
	softpt_watched_update(e);
}

/* In two steps, so that a time of any length does not overflow. */
static void count_cycles(struct softpt_truth_log *log, u64 tsc, u8 ratio, u8 p1)
{
	u64 ticks = tsc - log->tsc, parts = ticks % p1 * ratio + log->rem;

	log->cycles += ticks / p1 * ratio + parts / p1;
	log->rem = parts % p1;
}

/* Before an event writes: what precedes it is written. */
void softpt_truth_begin(struct softpt_engine *e, const struct softpt_sink *s)
{
	struct softpt_truth_log *log = e->truth;

	if (!log)
		return;
	if (log->began && !e->asleep)
		count_cycles(log, e->now, e->cycles.ratio, e->cfg.p1);
	log->began = true;
	log->tsc = e->now;
	log->from = log->base + softpt_bytes(e, s);
	log->cur_from = s->cur;
	log->bits = e->tnt_bits;
	log->pending = e->ntnt;
}

/*
 * TNT bits are distinguished by their order alone. So the first entry behind a lost one is of an
 * event before which no bit was pending.
 */
static bool has_room(struct softpt_truth_log *log)
{
	if (log->mute)
		return false;
	if (log->cur == log->end || (log->incomplete && log->pending)) {
		log->lost++;
		return false;
	}
	return true;
}

/**
 * softpt_truth_end() - an event has written its packets
 * @e: the engine
 * @s: where they are
 * @event: number of the event
 * @kind: SOFTPT_EV_*
 * @flags: SOFTPT_TRUTH_END, or 0
 */
void softpt_truth_end(struct softpt_engine *e, const struct softpt_sink *s, u64 event, u16 kind,
		      u16 flags)
{
	struct softpt_truth_log *log = e->truth;
	bool bit;

	if (!log)
		return;
	bit = e->tnt_bits != log->bits;
	if (!bit && s->cur == log->cur_from)
		return;
	if (!has_room(log)) {
		log->incomplete = true;
		return;
	}
	flags |= bit ? SOFTPT_TRUTH_BIT : 0;
	flags |= log->incomplete ? SOFTPT_TRUTH_TORN : 0;
	log->incomplete = false;
	*log->cur++ = (struct softpt_truth) {
		.event = event,
		.tsc = log->tsc,
		.cycles = log->cycles,
		.offset = log->from,
		.bytes = s->cur - log->cur_from,
		.kind = kind,
		.flags = flags,
	};
}
