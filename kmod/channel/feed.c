// SPDX-License-Identifier: GPL-2.0-only
/* The unit's engine and ring, fed from process context: a full ring makes the source wait. */

#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "channel/emit.h"

#define ROOM_RECHECK		max(1, HZ / 100)
#define CATCH_UP_WINDOWS	16

/* A stream keeps room for its end: TNT flush and closing anchor */
static u64 reserve(const struct softpt_channel *ch)
{
	return ch->ring.snapshot ? 0 : SOFTPT_GROUP_MAX;
}

static bool has_room(const struct softpt_channel *ch)
{
	return softpt_ring_room(&ch->ring) >= reserve(ch) + SOFTPT_GROUP_MAX;
}

/*
 * A snapshot must hold a PSB wherever it is frozen. The engine's own period may be
 * longer than the ring, so ask for one when half the ring went by without.
 */
static bool psb_wanted(const struct softpt_channel *ch)
{
	const struct softpt_engine *e = &ch->engine;
	const struct softpt_ring *ring = &ch->ring;

	return ring->snapshot && e->trigger_en && !e->overflow && !e->asleep &&
	       ring->head - ring->psb + softpt_ring_room(ring) >= ring->size / 2;
}

static int step(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep)
{
	u64 head = ch->ring.head, psb_at = ch->engine.psb_at;
	int ret;

	softpt_ring_begin(&ch->ring, keep, &ch->sink);
	ret = softpt_channel_emit(ch, ev);
	if (ch->engine.psb_at != psb_at)
		ch->ring.psb = head;
	softpt_channel_follow(ch);
	return ret;
}

/**
 * softpt_channel_pass() - softpt_channel_emit(), and before it a PSB+ that a snapshot wants
 * @ch: the unit, owned by the caller
 * @ev: a valid event
 * @keep: bytes of the ring that must stay free
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_channel_pass(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = ch->engine.now };

	if (psb_wanted(ch) && step(ch, &psb, keep))
		return SOFTPT_MORE;
	return step(ch, ev, keep);
}

/**
 * softpt_channel_flush() - TNT flush and closing anchor
 * @ch: the unit, owned by the caller
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_channel_flush(struct softpt_channel *ch)
{
	struct softpt_sink sink;
	const u8 *from;
	int ret;

	softpt_ring_begin(&ch->ring, 0, &sink);
	from = sink.cur;
	ret = softpt_engine_finish(&ch->engine, &sink);
	softpt_ring_commit(&ch->ring, sink.cur - from);
	return ret;
}

/*
 * The rest of a record whose gap did not fit the ring at once. A gap may be longer
 * than anybody can wait for, and a snapshot never fills: leave the lock in between.
 */
static int catch_up(struct softpt_channel *ch)
{
	int windows;

	for (windows = 0; ch->has_pending && windows < CATCH_UP_WINDOWS; windows++) {
		if (!has_room(ch))
			return -EAGAIN;
		ch->has_pending = softpt_channel_pass(ch, &ch->pending, reserve(ch));
		cond_resched();
	}
	return ch->has_pending ? -EAGAIN : 0;
}

/* A live unit is its CPU's, whatever its lock says. */
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
	if (!has_room(ch))
		return -EAGAIN;
	err = softpt_engine_check(&ch->engine, ev, &why);
	if (err)
		return err;
	ch->pending = *ev;
	ch->has_pending = true;
	return 0;
}

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

/**
 * softpt_channel_writable() - whether a wait for room is over
 * @ch: the unit
 *
 * Return: true with room, and when there is no point in waiting.
 */
bool softpt_channel_writable(struct softpt_channel *ch)
{
	return !READ_ONCE(ch->running) || has_room(ch);
}

/**
 * softpt_channel_readable() - whether a reader's wait is over
 * @ch: the unit
 *
 * Return: true with as many bytes as the watermark asks for, with any while somebody
 * waits for room, with a frozen snapshot, and at the end.
 */
bool softpt_channel_readable(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->ring;
	u64 pos, unread;

	if (READ_ONCE(ch->flags) & SOFTPT_ST_DONE)
		return true;
	if (ring->snapshot)
		return READ_ONCE(ring->frozen);
	unread = softpt_ring_unread(ring, &pos);
	return unread >= softpt_ring_watermark(ring) || (unread && READ_ONCE(ch->crowded));
}

void softpt_channel_wake_readers(struct softpt_channel *ch)
{
	if (wq_has_sleeper(&ch->readable) &&
	    (softpt_channel_readable(ch) || softpt_channel_truth_wakes(ch)))
		wake_up_all(&ch->readable);
}

void softpt_channel_wake_writers(struct softpt_channel *ch)
{
	if (wq_has_sleeper(&ch->writable) && softpt_channel_writable(ch))
		wake_up_all(&ch->writable);
}

/*
 * Who reads through the mapping gives room back with a plain store, which wakes
 * nobody: while somebody waits for room, look for it.
 */
void softpt_channel_watch_room(struct softpt_channel *ch)
{
	if (!softpt_channel_writable(ch))
		queue_delayed_work(softpt_queue, &ch->room, ROOM_RECHECK);
}

void softpt_channel_room_work(struct work_struct *work)
{
	struct softpt_channel *ch = container_of(work, struct softpt_channel, room.work);

	if (softpt_channel_writable(ch))
		wake_up_all(&ch->writable);
	else if (wq_has_sleeper(&ch->writable))
		queue_delayed_work(softpt_queue, &ch->room, ROOM_RECHECK);
}

/**
 * softpt_channel_wait_room() - sleep until a record has room
 * @ch: the unit
 *
 * Return: 0, or -ERESTARTSYS on a signal.
 */
int softpt_channel_wait_room(struct softpt_channel *ch)
{
	DEFINE_WAIT(wait);
	int err = 0;

	prepare_to_wait(&ch->writable, &wait, TASK_INTERRUPTIBLE);
	softpt_channel_watch_room(ch);
	if (signal_pending(current))
		err = -ERESTARTSYS;
	else if (!softpt_channel_writable(ch))
		schedule();
	finish_wait(&ch->writable, &wait);
	return err;
}

/* Return: 0, or -EAGAIN without room for the rest. */
static int end_locked(struct softpt_channel *ch)
{
	int err = catch_up(ch);

	if (!err && softpt_channel_flush(ch))
		err = -EAGAIN;
	return err;
}

int softpt_channel_finish(struct softpt_channel *ch)
{
	int err = -EBADFD;

	mutex_lock(&ch->lock);
	if (is_fed(ch))
		err = end_locked(ch);
	if (!err)
		softpt_channel_mark_done(ch);
	else if (!ch->engine.live)
		softpt_channel_publish(ch);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
	if (!err)
		wake_up_all(&ch->writable);
	return err;
}

/**
 * softpt_channel_stop_fed() - SOFTPT_DISABLE: the stream ends, room or not
 * @data: the unit, its lock held
 *
 * Only a record whose gap still waits for room is lost, and the end itself where the
 * reader took room back that it had given.
 */
void softpt_channel_stop_fed(void *data)
{
	struct softpt_channel *ch = data;

	if (!ch->running)
		return;
	if (catch_up(ch)) {
		ch->has_pending = false;
		ch->engine.counts.events_lost++;
		WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	}
	/* What is frozen was finished then. */
	if (softpt_channel_flush(ch) && !ch->ring.frozen)
		WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	softpt_channel_mark_done(ch);
}

struct demand {
	struct softpt_channel *ch;
	u16 kind;
	int err;
};

/* The demand for a trigger waits where the event has no room. */
static void demand(void *data)
{
	struct demand *d = data;
	struct softpt_channel *ch = d->ch;
	struct softpt_event ev = { .kind = d->kind };

	if (d->kind == SOFTPT_EV_IDLE && !softpt_trigger_demand(&ch->engine)) {
		d->err = -EINVAL;
		return;
	}
	if (ch->engine.live) {
		softpt_channel_demand_live(ch, d->kind);
		return;
	}
	d->err = catch_up(ch);
	ev.tsc = ch->engine.now;
	if (!d->err)
		d->err = take(ch, &ev);
	if (!d->err)
		catch_up(ch);
	softpt_channel_publish(ch);
}

/**
 * softpt_channel_demand() - an event on demand
 * @ch: the unit
 * @kind: SOFTPT_EV_PSB, or SOFTPT_EV_IDLE for SOFTPT_ON_DEMAND
 *
 * Return: 0; -EBADFD when it is not enabled, -EAGAIN without room, -EINVAL when no trigger
 * waits for that.
 */
int softpt_channel_demand(struct softpt_channel *ch, u16 kind)
{
	struct demand d = { .ch = ch, .kind = kind };

	mutex_lock(&ch->lock);
	if (!READ_ONCE(ch->running))
		d.err = -EBADFD;
	else
		softpt_channel_on_owner(ch, demand, &d);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
	return d.err;
}
