// SPDX-License-Identifier: GPL-2.0-only
/* The unit's engine and ring, fed from process context: a full ring makes the source wait. */

#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "put.h"

#define ROOM_RECHECK		max(1, HZ / 100)
#define CATCH_UP_WINDOWS	16

/* A stream keeps room for its end: TNT flush and closing anchor */
static u64 reserve(const struct softpt_unit *unit)
{
	return unit->ring.snapshot ? 0 : SOFTPT_GROUP_MAX;
}

static bool has_room(const struct softpt_unit *unit)
{
	return softpt_ring_room(&unit->ring) >= reserve(unit) + SOFTPT_GROUP_MAX;
}

/*
 * A snapshot must hold a PSB wherever it is frozen. The engine's own period may be
 * longer than the ring, so ask for one when half the ring went by without.
 */
static bool psb_wanted(const struct softpt_unit *unit)
{
	const struct softpt_engine *e = &unit->engine;
	const struct softpt_ring *ring = &unit->ring;

	return ring->snapshot && e->trigger_en && !e->overflow && !e->asleep &&
	       ring->head - ring->psb + softpt_ring_room(ring) >= ring->size / 2;
}

static int step(struct softpt_unit *unit, const struct softpt_event *ev, u64 keep)
{
	u64 head = unit->ring.head, psb_at = unit->engine.psb_at;
	int ret;

	softpt_ring_begin(&unit->ring, keep, &unit->sink);
	ret = softpt_unit_put(unit, ev);
	if (unit->engine.psb_at != psb_at)
		unit->ring.psb = head;
	softpt_unit_follow(unit);
	return ret;
}

/**
 * softpt_unit_step() - softpt_unit_put(), and before it a PSB+ that a snapshot wants
 * @unit: the unit, owned by the caller
 * @ev: a valid event
 * @keep: bytes of the ring that must stay free
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_unit_step(struct softpt_unit *unit, const struct softpt_event *ev, u64 keep)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = unit->engine.now };

	if (psb_wanted(unit) && step(unit, &psb, keep))
		return SOFTPT_MORE;
	return step(unit, ev, keep);
}

/**
 * softpt_unit_finish() - TNT flush and closing anchor
 * @unit: the unit, owned by the caller
 *
 * Return: 0 or SOFTPT_MORE.
 */
int softpt_unit_finish(struct softpt_unit *unit)
{
	struct softpt_sink sink;
	const u8 *from;
	int ret;

	softpt_ring_begin(&unit->ring, 0, &sink);
	from = sink.cur;
	ret = softpt_engine_finish(&unit->engine, &sink);
	softpt_ring_commit(&unit->ring, sink.cur - from);
	return ret;
}

/*
 * The rest of a record whose gap did not fit the ring at once. A gap may be longer
 * than anybody can wait for, and a snapshot never fills: leave the lock in between.
 */
static int catch_up(struct softpt_unit *unit)
{
	int windows;

	for (windows = 0; unit->has_pending && windows < CATCH_UP_WINDOWS; windows++) {
		if (!has_room(unit))
			return -EAGAIN;
		unit->has_pending = softpt_unit_step(unit, &unit->pending, reserve(unit));
		cond_resched();
	}
	return unit->has_pending ? -EAGAIN : 0;
}

/* A live unit is its CPU's, whatever its lock says. */
static bool is_fed(const struct softpt_unit *unit)
{
	return READ_ONCE(unit->open) && !unit->engine.live;
}

static int take(struct softpt_unit *unit, const struct softpt_event *ev)
{
	const char *why;
	int err = catch_up(unit);

	if (err)
		return err;
	if (!has_room(unit))
		return -EAGAIN;
	err = softpt_engine_check(&unit->engine, ev, &why);
	if (err)
		return err;
	unit->pending = *ev;
	unit->has_pending = true;
	return 0;
}

/**
 * softpt_unit_feed() - give events to a unit that can wait
 * @unit: the unit
 * @ev: the events
 * @n: how many
 *
 * Takes whole records until one is refused or the ring is full. A record whose gap
 * is longer than the room counts as taken: the rest of it follows by itself
 * before the next.
 *
 * Return: how many were taken; when that is none: -EAGAIN without room,
 * -EBADFD when the unit is not enabled or its input was finished, or what
 * softpt_engine_check() says.
 */
ssize_t softpt_unit_feed(struct softpt_unit *unit, const struct softpt_event *ev, size_t n)
{
	int err = -EBADFD;
	size_t i = 0;

	mutex_lock(&unit->lock);
	while (is_fed(unit) && i < n) {
		err = take(unit, &ev[i]);
		if (err)
			break;
		i++;
		catch_up(unit);
		cond_resched();
	}
	if (!unit->engine.live)	/* its page is its CPU's */
		softpt_unit_publish(unit);
	mutex_unlock(&unit->lock);
	softpt_unit_wake_readers(unit);
	return i ? i : err;
}

/**
 * softpt_unit_writable() - whether a wait for room is over
 * @unit: the unit
 *
 * Return: true with room, and when there is no point in waiting.
 */
bool softpt_unit_writable(struct softpt_unit *unit)
{
	return !READ_ONCE(unit->open) || has_room(unit);
}

void softpt_unit_wake_writers(struct softpt_unit *unit)
{
	if (wq_has_sleeper(&unit->writable) && softpt_unit_writable(unit))
		wake_up_all(&unit->writable);
}

/*
 * Who reads through the mapping gives room back with a plain store, which wakes
 * nobody: while somebody waits for room, look for it.
 */
void softpt_unit_watch_room(struct softpt_unit *unit)
{
	if (!softpt_unit_writable(unit))
		queue_delayed_work(softpt_queue, &unit->room, ROOM_RECHECK);
}

void softpt_unit_room_work(struct work_struct *work)
{
	struct softpt_unit *unit = container_of(to_delayed_work(work), struct softpt_unit, room);

	if (softpt_unit_writable(unit))
		wake_up_all(&unit->writable);
	else if (wq_has_sleeper(&unit->writable))
		queue_delayed_work(softpt_queue, &unit->room, ROOM_RECHECK);
}

/**
 * softpt_unit_wait_room() - sleep until a record has room
 * @unit: the unit
 *
 * Return: 0, or -ERESTARTSYS on a signal.
 */
int softpt_unit_wait_room(struct softpt_unit *unit)
{
	DEFINE_WAIT(wait);
	int err = 0;

	prepare_to_wait(&unit->writable, &wait, TASK_INTERRUPTIBLE);
	softpt_unit_watch_room(unit);
	if (signal_pending(current))
		err = -ERESTARTSYS;
	else if (!softpt_unit_writable(unit))
		schedule();
	finish_wait(&unit->writable, &wait);
	return err;
}

/* Return: 0, or -EAGAIN without room for the rest. */
static int end_locked(struct softpt_unit *unit)
{
	int err = catch_up(unit);

	if (!err && softpt_unit_finish(unit))
		err = -EAGAIN;
	return err;
}

/**
 * softpt_unit_end_input() - the source has no more: close the stream
 * @unit: the unit
 *
 * Return: 0; -EBADFD when it is not enabled or has ended before, -EAGAIN without
 * room for the rest.
 */
int softpt_unit_end_input(struct softpt_unit *unit)
{
	int err = -EBADFD;

	mutex_lock(&unit->lock);
	if (is_fed(unit))
		err = end_locked(unit);
	if (!err)
		softpt_unit_end(unit);
	else if (!unit->engine.live)
		softpt_unit_publish(unit);
	mutex_unlock(&unit->lock);
	softpt_unit_wake_readers(unit);
	if (!err)
		wake_up_all(&unit->writable);
	return err;
}

/**
 * softpt_unit_close_fed() - SOFTPT_DISABLE: the stream ends, room or not
 * @data: the unit, its lock held
 *
 * Only a record whose gap still waits for room is lost, and the end itself where the
 * reader took room back that it had given.
 */
void softpt_unit_close_fed(void *data)
{
	struct softpt_unit *unit = data;

	if (!unit->open)
		return;
	if (catch_up(unit)) {
		unit->has_pending = false;
		unit->engine.counts.events_lost++;
		WRITE_ONCE(unit->flags, unit->flags | SOFTPT_ST_LOST);
	}
	/* What is frozen was finished then. */
	if (softpt_unit_finish(unit) && !unit->ring.frozen)
		WRITE_ONCE(unit->flags, unit->flags | SOFTPT_ST_LOST);
	softpt_unit_end(unit);
}

struct demand {
	struct softpt_unit *unit;
	u16 kind;
	int err;
};

/* The demand for a trigger waits where the event has no room. */
static void demand(void *data)
{
	struct demand *d = data;
	struct softpt_unit *unit = d->unit;
	struct softpt_event ev = { .kind = d->kind };

	if (d->kind == SOFTPT_EV_IDLE && !softpt_trigger_demand(&unit->engine)) {
		d->err = -EINVAL;
		return;
	}
	if (unit->engine.live) {
		softpt_unit_demand_live(unit, d->kind);
		return;
	}
	d->err = catch_up(unit);
	ev.tsc = unit->engine.now;
	if (!d->err)
		d->err = take(unit, &ev);
	if (!d->err)
		catch_up(unit);
	softpt_unit_publish(unit);
}

/**
 * softpt_unit_demand() - an event on demand
 * @unit: the unit
 * @kind: SOFTPT_EV_PSB, or SOFTPT_EV_IDLE for SOFTPT_ON_DEMAND
 *
 * Return: 0; -EBADFD when it is not enabled, -EAGAIN without room, -EINVAL when no trigger
 * waits for that.
 */
int softpt_unit_demand(struct softpt_unit *unit, u16 kind)
{
	struct demand d = { .unit = unit, .kind = kind };

	mutex_lock(&unit->lock);
	if (!READ_ONCE(unit->open))
		d.err = -EBADFD;
	else
		softpt_unit_run(unit, demand, &d);
	mutex_unlock(&unit->lock);
	softpt_unit_wake_readers(unit);
	return d.err;
}
