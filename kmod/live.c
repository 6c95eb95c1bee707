// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unit's engine and ring, fed as things happen: nothing waits here, so a full ring
 * loses packets. All of this runs on the unit's CPU with interrupts off.
 *
 * A lossless unit is full earlier: who is traced waits elsewhere (step-wait.c), and what comes
 * before it does has room still.
 *
 * Most events just go on in the room that was found before. Whatever needs a look shuts it.
 */

#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/smp.h>

#include "clock.h"
#include "put.h"

/* Kept free so that the closing anchor precedes a loss */
#define RESERVE		(2 * SOFTPT_GROUP_MAX)

/* What resuming writes, and some more: an OVF for every few events would tell nothing. */
#define RESUME_ROOM	(RESERVE + 2 * SOFTPT_GROUP_MAX + 4096)

/* For the events before the one who is traced waits: the last of each task, and its gap */
#define LAST_ROOM	(64 * 1024)

/* Counts are shown after so many events at the latest; losses and the head, at once */
#define PUBLISH_EVENTS	64

static u64 reserve(const struct softpt_unit *unit)
{
	return unit->ring.snapshot ? 0 : RESERVE;
}

/* Bytes that must stay free */
static u64 kept(const struct softpt_unit *unit)
{
	if (likely(!unit->lossless) || unit->crowded)
		return reserve(unit);
	return unit->ring.size - softpt_unit_before_crowded(&unit->ring) - SOFTPT_GROUP_MAX;
}

static bool can_go_on(const struct softpt_unit *unit)
{
	return softpt_ring_room(&unit->ring) >= kept(unit) + SOFTPT_GROUP_MAX;
}

/**
 * softpt_unit_before_crowded() - unread bytes that a lossless unit's ring may have
 * @ring: its ring
 *
 * With more who is traced is to wait.
 */
u64 softpt_unit_before_crowded(const struct softpt_ring *ring)
{
	u64 last = min_t(u64, LAST_ROOM, ring->size / 4 + SOFTPT_GROUP_MAX);

	return ring->size - RESERVE - last - SOFTPT_GROUP_MAX;
}

/* Return: false when it is so already, or does not matter */
static bool crowd(struct softpt_unit *unit)
{
	if (!unit->lossless || unit->crowded)
		return false;
	WRITE_ONCE(unit->crowded, true);
	return true;
}

/* As with RESUME_ROOM: not for a few events */
static void uncrowd(struct softpt_unit *unit)
{
	u64 enough = softpt_unit_before_crowded(&unit->ring);

	if (softpt_ring_used(&unit->ring) <= enough - min_t(u64, enough / 4, 4096))
		WRITE_ONCE(unit->crowded, false);
}

/**
 * softpt_unit_crowded() - whether who is traced is to wait for the reader
 * @unit: of the CPU that this runs on; perf's may be closed by this
 *
 * Context: interrupts off.
 */
bool softpt_unit_crowded(struct softpt_unit *unit)
{
	if (likely(!unit->crowded))
		return false;
	if (unit->tell)
		unit->tell(unit);	/* asks perf how far its reader is */
	uncrowd(unit);
	return unit->crowded && unit->open;
}

/* Where the engine may write while packets are lost: bytes that nobody reads */
static void scratch(struct softpt_unit *unit, struct softpt_sink *sink)
{
	sink->cur = unit->scratch;
	sink->end = unit->scratch + sizeof(unit->scratch);
	unit->told.mute = true;
}

/* A stream that lost a PSB+ or a closing anchor needs a new PSB+ to be read again. */
static void note_discarded(struct softpt_unit *unit, const struct softpt_sink *sink)
{
	bool any = sink->cur != unit->scratch;

	unit->resync |= any;
	unit->told.torn |= any;
	unit->told.base = unit->ring.head - unit->engine.counts.bytes;
	unit->told.mute = false;
}

static void lose(struct softpt_unit *unit)
{
	struct softpt_sink sink;
	const u8 *from;

	if (unit->losing)
		return;
	unit->losing = true;
	softpt_unit_shut(unit);
	if (softpt_ring_room(&unit->ring) >= SOFTPT_GROUP_MAX) {
		softpt_ring_begin(&unit->ring, 0, &sink);
		from = sink.cur;
		softpt_engine_lose(&unit->engine, &sink);
		softpt_ring_commit(&unit->ring, sink.cur - from);
	} else {
		scratch(unit, &sink);	/* the reader moved its tail backwards */
		softpt_engine_lose(&unit->engine, &sink);
		note_discarded(unit, &sink);
	}
}

/**
 * softpt_unit_may_resume() - whether a unit that loses packets has room to go on
 * @unit: the unit
 */
bool softpt_unit_may_resume(const struct softpt_unit *unit)
{
	const struct softpt_ring *ring = &unit->ring;
	u64 enough = ring->snapshot ? SOFTPT_GROUP_MAX : min_t(u64, RESUME_ROOM, ring->size / 2);

	return softpt_ring_room(ring) >= enough;
}

static void find(struct softpt_unit *unit, u64 tsc)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = tsc };

	if (!softpt_unit_may_resume(unit))
		return;
	unit->losing = false;
	softpt_engine_found(&unit->engine, tsc);
	if (unit->resync && unit->engine.trigger_en)
		softpt_unit_step(unit, &psb, reserve(unit));
	unit->resync = false;
}

/*
 * While packets are lost an event changes the engine's state and nothing else. One
 * that enables the trace cannot be written either, so the loss begins anew with it.
 */
static void lost_event(struct softpt_unit *unit, const struct softpt_event *ev)
{
	struct softpt_sink sink;

	WRITE_ONCE(unit->flags, unit->flags | SOFTPT_ST_LOST);
	scratch(unit, &sink);
	softpt_engine_event(&unit->engine, ev, &sink);
	note_discarded(unit, &sink);
	scratch(unit, &sink);
	softpt_engine_lose(&unit->engine, &sink);
	note_discarded(unit, &sink);
}

/* What an NMI brought while the engine was busy is a loss like any other. */
static void note_dropped(struct softpt_unit *unit)
{
	u64 dropped = atomic64_read(&unit->dropped);

	if (likely(dropped == unit->dropped_seen))
		return;
	unit->engine.counts.events_lost += dropped - unit->dropped_seen;
	unit->dropped_seen = dropped;
	WRITE_ONCE(unit->flags, unit->flags | SOFTPT_ST_LOST);
	lose(unit);
}

/* Whether the next event may just go on: bytes are read as they come, no NMI is to be told */
static bool is_plain(const struct softpt_unit *unit)
{
	return !unit->ring.snapshot && !unit->crowded &&
	       atomic64_read(&unit->dropped) == unit->dropped_seen;
}

/* An event when all may have to be done: what is lost told, room found, MTCs of a gap */
static void any_event(struct softpt_unit *unit, const struct softpt_event *ev)
{
	note_dropped(unit);
	if (unit->losing)
		find(unit, ev->tsc);
	if (unit->crowded)
		uncrowd(unit);
	while (!unit->losing) {
		if (!can_go_on(unit)) {
			if (!crowd(unit))
				lose(unit);
		} else if (!softpt_unit_step(unit, ev, kept(unit))) {
			if (!is_plain(unit))
				softpt_unit_shut(unit);
			return;
		}
	}
	lost_event(unit, ev);
}

static noinline void drop(struct softpt_unit *unit)
{
	atomic64_inc(&unit->dropped);
	softpt_unit_shut(unit);
}

/* An event from before the unit's last, or one that the engine must not have */
static void odd_event(struct softpt_unit *unit, const struct softpt_event *ev)
{
	struct softpt_event now = *ev;
	const char *why;

	now.tsc = max(now.tsc, unit->engine.now);
	if (WARN_ON_ONCE(softpt_engine_check(&unit->engine, &now, &why)))
		drop(unit);
	else
		any_event(unit, &now);
}

/*
 * Sources are the module's own, and only the time is the machine's: all else is judged
 * by kernels that are made to find bugs.
 */
static bool is_good(const struct softpt_unit *unit, const struct softpt_event *ev)
{
	const char *why;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		return !softpt_engine_check(&unit->engine, ev, &why);
	return softpt_engine_in_time(&unit->engine, ev->tsc);
}

/* One that more has to be done for than to write its packets behind those of the last */
static noinline void rare_event(struct softpt_unit *unit, const struct softpt_event *ev)
{
	if (!unit->open || ev->tsc < READ_ONCE(unit->session->on))
		return;
	softpt_unit_follow(unit);	/* the ring may freeze before this event */
	if (is_good(unit, ev))
		any_event(unit, ev);
	else
		odd_event(unit, ev);
	softpt_unit_follow(unit);
	softpt_unit_publish(unit);
}

/* Now and then: what the reader sees, and what others have lost on this unit's account */
static noinline void look_around(struct softpt_unit *unit)
{
	softpt_unit_follow(unit);
	softpt_unit_publish(unit);
	if (!is_plain(unit))
		softpt_unit_shut(unit);
}

/* Live events may come under the run queue's lock. */
static noinline void wake_later(struct softpt_unit *unit)
{
	if (softpt_unit_readable(unit) || softpt_unit_truth_wakes(unit))
		irq_work_queue(&unit->wake);
}

static inline void tell(struct softpt_unit *unit)
{
	if (unit->tell)
		unit->tell(unit);
	else if (unlikely(wq_has_sleeper(&unit->readable)))
		wake_later(unit);
}

void softpt_unit_live(struct softpt_unit *unit, const struct softpt_event *ev)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(ev->tsc > READ_ONCE(unit->session->off)))
		return;
	if (unlikely(in_nmi() || unit->busy)) {
		if (unit->open)
			drop(unit);
		return;
	}
	unit->busy = true;
	barrier();	/* an NMI on this CPU sees busy before the engine changes */
	if (unlikely(!is_good(unit, ev)) || unlikely(softpt_unit_put(unit, ev)))
		rare_event(unit, ev);
	else if (unlikely(!(unit->engine.counts.events % PUBLISH_EVENTS) || unit->engine.slow))
		look_around(unit);
	barrier();
	unit->busy = false;
	tell(unit);
}

/* The instant at which a live unit is closed, on its own clock */
static u64 closing_time(const struct softpt_unit *unit)
{
	const struct softpt_session *session = unit->session;
	u64 tsc = unit->engine.now;

	if (session->config.clock == SOFTPT_CLOCK_WALL)
		tsc = min(READ_ONCE(session->off), softpt_clock());
	return max(tsc, unit->engine.now);
}

/**
 * softpt_unit_close_live() - TraceEn falls; no event is taken any more
 * @data: the unit
 *
 * Context: interrupts off, on the unit's CPU, or on another while that is offline.
 */
void softpt_unit_close_live(void *data)
{
	struct softpt_unit *unit = data;
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	if (!unit->open)
		return;
	unit->busy = true;
	barrier();
	note_dropped(unit);
	ev.tsc = closing_time(unit);
	if (unit->engine.trigger_en)
		any_event(unit, &ev);
	if (!unit->losing)
		softpt_unit_finish(unit);
	softpt_unit_end(unit);
	barrier();
	unit->busy = false;
	irq_work_queue(&unit->wake);
}

/* A frozen ring has no room: events change only state from here on. */
void softpt_unit_freeze_live(struct softpt_unit *unit)
{
	bool busy = unit->busy;		/* a trigger freezes it with the event at hand */

	unit->busy = true;
	barrier();
	lose(unit);
	barrier();
	unit->busy = busy;
}

/* SOFTPT_PSB, SOFTPT_TRIGGER */
void softpt_unit_demand_live(struct softpt_unit *unit, u16 kind)
{
	struct softpt_event ev = { .kind = kind, .tsc = READ_ONCE(unit->session->on) };

	if (ev.tsc == U64_MAX)
		return;		/* SOFTPT_ENABLE is still to come to this */
	if (unit->session->config.clock == SOFTPT_CLOCK_WALL)
		ev.tsc = softpt_clock();
	softpt_unit_live(unit, &ev);
}

/**
 * softpt_unit_run() - do something to the unit where nothing else can be doing it
 * @unit: the unit, its lock held
 * @fn: what; it runs with interrupts off on the unit's CPU if the source is live
 * @arg: for @fn
 *
 * A live unit whose CPU is offline was closed by its hotplug callback, so that any
 * CPU may run @fn then.
 */
void softpt_unit_run(struct softpt_unit *unit, void (*fn)(void *arg), void *arg)
{
	lockdep_assert_held(&unit->lock);
	if (unit->engine.live && !smp_call_function_single(unit->cpu, fn, arg, true))
		return;
	if (!unit->engine.live) {
		fn(arg);
		return;
	}
	local_irq_disable();
	fn(arg);
	local_irq_enable();
}
