// SPDX-License-Identifier: GPL-2.0-only
/* Events that can wait (feed.h). The lock of the channel makes its holder the owner. */

#include <linux/sched.h>

#include "channel/emit.h"
#include "channel/feed.h"
#include "channel/page.h"
#include "channel/pass.h"
#include "channel/wait.h"

#define CATCH_UP_WINDOWS	16

/*
 * The rest of an event whose gap did not fit the ring at once. A gap may be longer
 * than anybody can wait for, and a snapshot never fills: leave the lock in between.
 */
static int catch_up(struct softpt_channel *ch)
{
	int windows;

	for (windows = 0; ch->fed.has_pending && windows < CATCH_UP_WINDOWS; windows++) {
		if (!softpt_channel_has_room(ch))
			return -EAGAIN;
		ch->fed.has_pending = softpt_channel_pass(ch, &ch->fed.pending,
							  softpt_channel_end_room(ch));
		cond_resched();
	}
	return ch->fed.has_pending ? -EAGAIN : 0;
}

/* The engine of a live channel may be used on its CPU only. The lock does not give access to it. */
static bool is_fed(const struct softpt_channel *ch)
{
	return READ_ONCE(ch->running) && !ch->engine.live;
}

static int take(struct softpt_channel *ch, const struct softpt_event *ev)
{
	const char *why;
	int err = catch_up(ch);

	if (err)
		return err;
	if (!softpt_channel_has_room(ch))
		return -EAGAIN;
	err = softpt_engine_check(&ch->engine, ev, &why);
	if (err)
		return err;
	ch->fed.pending = *ev;
	ch->fed.has_pending = true;
	return 0;
}

/**
 * softpt_channel_feed() - give events to a channel that can wait
 * @ch: the channel
 * @ev: the events
 * @n: how many
 *
 * Takes whole events until one is refused or the ring is full. An event whose gap
 * is longer than the room counts as taken: the rest of it follows by itself
 * before the next.
 *
 * Return: how many were taken; when that is none: -EAGAIN without room,
 * -EBADFD when the channel does not run or its input was finished, or what
 * softpt_engine_check() says.
 */
ssize_t softpt_channel_feed(struct softpt_channel *ch, const struct softpt_event *ev, size_t n)
{
	int err = -EBADFD;
	size_t i = 0;

	mutex_lock(&ch->lock);
	while (is_fed(ch) && i < n) {
		err = take(ch, &ev[i]);
		if (err)
			break;
		i++;
		catch_up(ch);
		cond_resched();
	}
	if (!ch->engine.live)	/* its page is its CPU's */
		softpt_channel_publish(ch);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
	return i ? i : err;
}

/* Return: 0, or -EAGAIN without room for the rest. */
static int finish_locked(struct softpt_channel *ch)
{
	int err = catch_up(ch);

	if (!err && softpt_channel_flush(ch))
		err = -EAGAIN;
	return err;
}

/**
 * softpt_channel_finish() - no more input will come: the stream ends
 * @ch: the channel
 *
 * Return: 0; -EBADFD when it does not run or was finished before, -EAGAIN without
 * room for the rest.
 */
int softpt_channel_finish(struct softpt_channel *ch)
{
	int err = -EBADFD;

	mutex_lock(&ch->lock);
	if (is_fed(ch))
		err = finish_locked(ch);
	if (!err)
		softpt_channel_mark_done(ch);
	else if (!ch->engine.live)
		softpt_channel_publish(ch);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
	if (!err)
		wake_up_all(&ch->wait.wr_wait);
	return err;
}

/**
 * softpt_channel_stop_fed() - SOFTPT_DISABLE: the stream ends, room or not
 * @data: the channel, its lock held
 *
 * Only an event whose gap still waits for room is lost, and the end itself where the
 * reader took room back that it had given.
 */
void softpt_channel_stop_fed(void *data)
{
	struct softpt_channel *ch = data;

	if (!ch->running)
		return;
	if (catch_up(ch)) {
		ch->fed.has_pending = false;
		ch->engine.counts.events_lost++;
		WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	}
	/* What is frozen was finished then. */
	if (softpt_channel_flush(ch) && !ch->ring.frozen)
		WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	softpt_channel_mark_done(ch);
}

/**
 * softpt_channel_demand_fed() - an event on demand
 * @ch: the channel, owned by the caller
 * @kind: SOFTPT_EV_PSB or SOFTPT_EV_IDLE
 *
 * Return: 0, or -EAGAIN without room.
 */
int softpt_channel_demand_fed(struct softpt_channel *ch, u16 kind)
{
	struct softpt_event ev = { .kind = kind };
	int err = catch_up(ch);

	ev.tsc = ch->engine.now;
	if (!err)
		err = take(ch, &ev);
	if (!err)
		catch_up(ch);
	softpt_channel_publish(ch);
	return err;
}
