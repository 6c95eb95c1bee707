// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unit's engine and ring, fed as things happen: nothing waits, so a full ring
 * loses packets. All of this runs on the unit's CPU with interrupts off.
 */

#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <asm/tsc.h>

#include "softpt.h"

/* Kept free so that the closing anchor precedes a loss */
#define RESERVE		(2 * SOFTPT_GROUP_MAX)

static u64 reserve(const struct softpt_unit *unit)
{
	return unit->ring.snapshot ? 0 : RESERVE;
}

static bool can_go_on(const struct softpt_unit *unit)
{
	return softpt_ring_room(&unit->ring) >= reserve(unit) + SOFTPT_GROUP_MAX;
}

/* Where the engine may write while packets are lost: bytes that nobody reads */
static void scratch(struct softpt_unit *unit, struct softpt_sink *sink)
{
	sink->cur = unit->scratch;
	sink->end = unit->scratch + sizeof(unit->scratch);
}

/* A stream that lost a PSB+ or a closing anchor needs a new PSB+ to be read again. */
static void note_discarded(struct softpt_unit *unit, const struct softpt_sink *sink)
{
	unit->resync |= sink->cur != unit->scratch;
}

static void lose(struct softpt_unit *unit)
{
	struct softpt_sink sink;

	if (unit->losing)
		return;
	unit->losing = true;
	if (softpt_ring_room(&unit->ring) >= SOFTPT_GROUP_MAX) {
		softpt_ring_begin(&unit->ring, 0, &sink);
		softpt_engine_lose(&unit->engine, &sink);
		softpt_ring_commit(&unit->ring, &sink);
	} else {
		scratch(unit, &sink);	/* the reader moved its tail backwards */
		softpt_engine_lose(&unit->engine, &sink);
		note_discarded(unit, &sink);
	}
}

/* Not before half of the ring is free: an OVF for every few events would tell nothing. */
static void find(struct softpt_unit *unit, u64 tsc)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = tsc };
	u64 enough = unit->ring.snapshot ? SOFTPT_GROUP_MAX : unit->ring.size / 2;

	if (softpt_ring_room(&unit->ring) < enough)
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

	unit->flags |= SOFTPT_ST_LOST;
	scratch(unit, &sink);
	softpt_engine_event(&unit->engine, ev, &sink);
	note_discarded(unit, &sink);
	scratch(unit, &sink);
	softpt_engine_lose(&unit->engine, &sink);
}

/* What an NMI brought while the engine was busy is a loss like any other. */
static void note_dropped(struct softpt_unit *unit)
{
	u64 dropped = atomic64_read(&unit->dropped);

	if (likely(dropped == unit->dropped_seen))
		return;
	unit->engine.counts.events_lost += dropped - unit->dropped_seen;
	unit->dropped_seen = dropped;
	unit->flags |= SOFTPT_ST_LOST;
	lose(unit);
}

static void live_event(struct softpt_unit *unit, const struct softpt_event *ev)
{
	note_dropped(unit);
	if (unit->losing)
		find(unit, ev->tsc);
	while (!unit->losing) {
		if (!can_go_on(unit))
			lose(unit);
		else if (!softpt_unit_step(unit, ev, reserve(unit)))
			return;
	}
	lost_event(unit, ev);
}

void softpt_unit_live(struct softpt_unit *unit, const struct softpt_event *ev)
{
	const struct softpt_session *session = unit->session;
	struct softpt_event now = *ev;
	const char *why;

	lockdep_assert_irqs_disabled();
	if (!unit->open || ev->tsc < READ_ONCE(session->on) || ev->tsc > READ_ONCE(session->off))
		return;
	if (in_nmi() || unit->busy) {
		atomic64_inc(&unit->dropped);
		return;
	}
	unit->busy = true;
	barrier();	/* an NMI on this CPU sees busy before the engine changes */
	now.tsc = max(now.tsc, unit->engine.now);
	if (WARN_ON_ONCE(softpt_engine_check(&unit->engine, &now, &why)))
		atomic64_inc(&unit->dropped);
	else
		live_event(unit, &now);
	barrier();
	unit->busy = false;
	softpt_unit_publish(unit);
	if (softpt_unit_readable(unit) && wq_has_sleeper(&unit->readable))
		irq_work_queue(&unit->wake);
}

/* The instant at which a live unit is closed, on its own clock */
static u64 closing_time(const struct softpt_unit *unit)
{
	const struct softpt_session *session = unit->session;
	u64 tsc = unit->engine.now;

	if (session->config.clock == SOFTPT_CLOCK_WALL)
		tsc = min(READ_ONCE(session->off), rdtsc_ordered());
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
		live_event(unit, &ev);
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
	unit->busy = true;
	barrier();
	lose(unit);
	barrier();
	unit->busy = false;
}

/* SOFTPT_PSB */
void softpt_unit_psb_live(void *data)
{
	struct softpt_unit *unit = data;
	struct softpt_event ev = { .kind = SOFTPT_EV_PSB, .tsc = READ_ONCE(unit->session->on) };

	if (unit->session->config.clock == SOFTPT_CLOCK_WALL)
		ev.tsc = rdtsc_ordered();
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
