// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unit's engine and ring, fed as things happen: nothing waits here, so a full ring
 * loses packets. All of this runs on the unit's CPU with interrupts off.
 *
 * A lossless unit is full earlier: who is traced waits elsewhere (source/step/wait.c), and what comes
 * before it does has room still.
 *
 * Most events just go on in the room that was found before. Whatever needs a look shuts it.
 */

#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/smp.h>

#include "clock.h"
#include "channel/emit.h"

/* Kept free so that the closing anchor precedes a loss */
#define RESERVE		(2 * SOFTPT_GROUP_MAX)

/* What resuming writes, and some more: an OVF for every few events would tell nothing. */
#define RESUME_ROOM	(RESERVE + 2 * SOFTPT_GROUP_MAX + 4096)

/* For the events before the one who is traced waits: the last of each task, and its gap */
#define LAST_ROOM	(64 * 1024)

/* Counts are shown after so many events at the latest; losses and the head, at once */
#define PUBLISH_EVENTS	64

static u64 reserve(const struct softpt_channel *ch)
{
	return ch->ring.snapshot ? 0 : RESERVE;
}

/* Bytes that must stay free */
static u64 kept(const struct softpt_channel *ch)
{
	if (likely(!ch->lossless) || ch->crowded)
		return reserve(ch);
	return ch->ring.size - softpt_channel_before_crowded(&ch->ring) - SOFTPT_GROUP_MAX;
}

static bool can_go_on(const struct softpt_channel *ch)
{
	return softpt_ring_room(&ch->ring) >= kept(ch) + SOFTPT_GROUP_MAX;
}

/**
 * softpt_channel_before_crowded() - unread bytes that a lossless unit's ring may have
 * @ring: its ring
 *
 * With more who is traced is to wait.
 */
u64 softpt_channel_before_crowded(const struct softpt_ring *ring)
{
	u64 last = min_t(u64, LAST_ROOM, ring->size / 4 + SOFTPT_GROUP_MAX);

	return ring->size - RESERVE - last - SOFTPT_GROUP_MAX;
}

/* Return: false when it is so already, or does not matter */
static bool crowd(struct softpt_channel *ch)
{
	if (!ch->lossless || ch->crowded)
		return false;
	WRITE_ONCE(ch->crowded, true);
	return true;
}

/* As with RESUME_ROOM: not for a few events */
static void uncrowd(struct softpt_channel *ch)
{
	u64 enough = softpt_channel_before_crowded(&ch->ring);

	if (softpt_ring_used(&ch->ring) <= enough - min_t(u64, enough / 4, 4096))
		WRITE_ONCE(ch->crowded, false);
}

/**
 * softpt_channel_crowded() - whether who is traced is to wait for the reader
 * @ch: of the CPU that this runs on; perf's may be closed by this
 *
 * Context: interrupts off.
 */
bool softpt_channel_crowded(struct softpt_channel *ch)
{
	if (likely(!ch->crowded))
		return false;
	if (ch->notify)
		ch->notify(ch);	/* asks perf how far its reader is */
	uncrowd(ch);
	return ch->crowded && ch->running;
}

/* Where the engine may write while packets are lost: bytes that nobody reads */
static void scratch(struct softpt_channel *ch, struct softpt_sink *sink)
{
	sink->cur = ch->scratch;
	sink->end = ch->scratch + sizeof(ch->scratch);
	ch->log.mute = true;
}

/* A stream that lost a PSB+ or a closing anchor needs a new PSB+ to be read again. */
static void note_discarded(struct softpt_channel *ch, const struct softpt_sink *sink)
{
	bool any = sink->cur != ch->scratch;

	ch->resync |= any;
	ch->log.torn |= any;
	ch->log.base = ch->ring.head - ch->engine.counts.bytes;
	ch->log.mute = false;
}

static void lose(struct softpt_channel *ch)
{
	struct softpt_sink sink;
	const u8 *from;

	if (ch->losing)
		return;
	ch->losing = true;
	softpt_channel_force_check(ch);
	if (softpt_ring_room(&ch->ring) >= SOFTPT_GROUP_MAX) {
		softpt_ring_begin(&ch->ring, 0, &sink);
		from = sink.cur;
		softpt_engine_lose(&ch->engine, &sink);
		softpt_ring_commit(&ch->ring, sink.cur - from);
	} else {
		scratch(ch, &sink);	/* the reader moved its tail backwards */
		softpt_engine_lose(&ch->engine, &sink);
		note_discarded(ch, &sink);
	}
}

/**
 * softpt_channel_may_resume() - whether a unit that loses packets has room to go on
 * @ch: the unit
 */
bool softpt_channel_may_resume(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->ring;
	u64 enough = ring->snapshot ? SOFTPT_GROUP_MAX : min_t(u64, RESUME_ROOM, ring->size / 2);

	return softpt_ring_room(ring) >= enough;
}

static void find(struct softpt_channel *ch, u64 tsc)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = tsc };

	if (!softpt_channel_may_resume(ch))
		return;
	ch->losing = false;
	softpt_engine_found(&ch->engine, tsc);
	if (ch->resync && ch->engine.trigger_en)
		softpt_channel_pass(ch, &psb, reserve(ch));
	ch->resync = false;
}

/*
 * While packets are lost an event changes the engine's state and nothing else. One
 * that enables the trace cannot be written either, so the loss begins anew with it.
 */
static void lost_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	struct softpt_sink sink;

	WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	scratch(ch, &sink);
	softpt_engine_event(&ch->engine, ev, &sink);
	note_discarded(ch, &sink);
	scratch(ch, &sink);
	softpt_engine_lose(&ch->engine, &sink);
	note_discarded(ch, &sink);
}

/* What an NMI brought while the engine was busy is a loss like any other. */
static void note_dropped(struct softpt_channel *ch)
{
	u64 dropped = atomic64_read(&ch->dropped);

	if (likely(dropped == ch->dropped_seen))
		return;
	ch->engine.counts.events_lost += dropped - ch->dropped_seen;
	ch->dropped_seen = dropped;
	WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_LOST);
	lose(ch);
}

/* Whether the next event may just go on: bytes are read as they come, no NMI is to be told */
static bool is_plain(const struct softpt_channel *ch)
{
	return !ch->ring.snapshot && !ch->crowded &&
	       atomic64_read(&ch->dropped) == ch->dropped_seen;
}

/* An event when all may have to be done: what is lost told, room found, MTCs of a gap */
static void any_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	note_dropped(ch);
	if (ch->losing)
		find(ch, ev->tsc);
	if (ch->crowded)
		uncrowd(ch);
	while (!ch->losing) {
		if (!can_go_on(ch)) {
			if (!crowd(ch))
				lose(ch);
		} else if (!softpt_channel_pass(ch, ev, kept(ch))) {
			if (!is_plain(ch))
				softpt_channel_force_check(ch);
			return;
		}
	}
	lost_event(ch, ev);
}

static noinline void drop(struct softpt_channel *ch)
{
	atomic64_inc(&ch->dropped);
	softpt_channel_force_check(ch);
}

/**
 * softpt_channel_add_lost() - events that never reached a channel are losses of it
 * @ch: of the CPU that this runs on: softpt_gate_channel(); or another (softpt_gate_any_channel())
 * @n: how many
 *
 * Context: interrupts off.
 */
void softpt_channel_add_lost(struct softpt_channel *ch, u64 n)
{
	atomic64_add(n, &ch->dropped);
	/* The channel of another CPU looks for itself. */
	if (ch == softpt_gate_channel(ch->gate))
		softpt_channel_force_check(ch);
}

/* An event from before the unit's last, or one that the engine must not have */
static void odd_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	struct softpt_event now = *ev;
	const char *why;

	now.tsc = max(now.tsc, ch->engine.now);
	if (WARN_ON_ONCE(softpt_engine_check(&ch->engine, &now, &why)))
		drop(ch);
	else
		any_event(ch, &now);
}

/*
 * Sources are the module's own, and only the time is the machine's: all else is judged
 * by kernels that are made to find bugs.
 */
static bool is_good(const struct softpt_channel *ch, const struct softpt_event *ev)
{
	const char *why;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		return !softpt_engine_check(&ch->engine, ev, &why);
	return softpt_engine_in_time(&ch->engine, ev->tsc);
}

/* One that more has to be done for than to write its packets behind those of the last */
static noinline void rare_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	if (!ch->running || ev->tsc < READ_ONCE(ch->gate->on))
		return;
	softpt_channel_follow(ch);	/* the ring may freeze before this event */
	if (is_good(ch, ev))
		any_event(ch, ev);
	else
		odd_event(ch, ev);
	softpt_channel_follow(ch);
	softpt_channel_publish(ch);
}

/* Now and then: what the reader sees, and what others have lost on this unit's account */
static noinline void look_around(struct softpt_channel *ch)
{
	softpt_channel_follow(ch);
	softpt_channel_publish(ch);
	if (!is_plain(ch))
		softpt_channel_force_check(ch);
}

/* Live events may come under the run queue's lock. */
static noinline void wake_later(struct softpt_channel *ch)
{
	if (softpt_channel_readable(ch) || softpt_channel_truth_wakes(ch))
		irq_work_queue(&ch->wake);
}

static inline void notify(struct softpt_channel *ch)
{
	if (ch->notify)
		ch->notify(ch);
	else if (unlikely(wq_has_sleeper(&ch->readable)))
		wake_later(ch);
}

void softpt_channel_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(ev->tsc > READ_ONCE(ch->gate->off)))
		return;
	if (unlikely(in_nmi() || ch->in_engine)) {
		if (ch->running)
			drop(ch);
		return;
	}
	ch->in_engine = true;
	barrier();	/* an NMI on this CPU sees this before the engine changes */
	if (unlikely(!is_good(ch, ev)) || unlikely(softpt_channel_emit(ch, ev)))
		rare_event(ch, ev);
	else if (unlikely(!(ch->engine.counts.events % PUBLISH_EVENTS) || ch->engine.slow))
		look_around(ch);
	barrier();
	ch->in_engine = false;
	notify(ch);
}

/* The instant at which a live unit is closed, on its own clock */
static u64 closing_time(const struct softpt_channel *ch)
{
	u64 tsc = ch->engine.now;

	if (ch->gate->wall_clock)
		tsc = min(READ_ONCE(ch->gate->off), softpt_clock());
	return max(tsc, ch->engine.now);
}

/**
 * softpt_channel_stop_live() - TraceEn falls; no event is taken any more
 * @data: the unit
 *
 * Context: interrupts off, on the unit's CPU, or on another while that is offline.
 */
void softpt_channel_stop_live(void *data)
{
	struct softpt_channel *ch = data;
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	if (!ch->running)
		return;
	ch->in_engine = true;
	barrier();
	note_dropped(ch);
	ev.tsc = closing_time(ch);
	if (ch->engine.trigger_en)
		any_event(ch, &ev);
	if (!ch->losing)
		softpt_channel_flush(ch);
	softpt_channel_mark_done(ch);
	barrier();
	ch->in_engine = false;
	irq_work_queue(&ch->wake);
}

/* A frozen ring has no room: events change only state from here on. */
void softpt_channel_freeze_live(struct softpt_channel *ch)
{
	bool in_engine = ch->in_engine;		/* a trigger freezes it with the event at hand */

	ch->in_engine = true;
	barrier();
	lose(ch);
	barrier();
	ch->in_engine = in_engine;
}

/* SOFTPT_PSB, SOFTPT_TRIGGER */
void softpt_channel_demand_live(struct softpt_channel *ch, u16 kind)
{
	struct softpt_event ev = { .kind = kind, .tsc = READ_ONCE(ch->gate->on) };

	if (ev.tsc == U64_MAX)
		return;		/* SOFTPT_ENABLE is still to come to this */
	if (ch->gate->wall_clock)
		ev.tsc = softpt_clock();
	softpt_channel_event(ch, &ev);
}

/**
 * softpt_channel_on_owner() - do something to the unit where nothing else can be doing it
 * @ch: the unit, its lock held
 * @fn: what; it runs with interrupts off on the unit's CPU if the source is live
 * @arg: for @fn
 *
 * A live unit whose CPU is offline was closed by its hotplug callback, so that any
 * CPU may run @fn then.
 */
void softpt_channel_on_owner(struct softpt_channel *ch, void (*fn)(void *arg), void *arg)
{
	lockdep_assert_held(&ch->lock);
	if (ch->engine.live && !smp_call_function_single(ch->cpu, fn, arg, true))
		return;
	if (!ch->engine.live) {
		fn(arg);
		return;
	}
	local_irq_disable();
	fn(arg);
	local_irq_enable();
}
