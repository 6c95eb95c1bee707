// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that cannot wait (live.h): a full ring loses packets.
 *
 * Most events just go on in the room that was found before. Whatever needs a check takes that room
 * away.
 */

#include <linux/hardirq.h>
#include <linux/irqflags.h>

#include "channel/freeze.h"
#include "channel/live.h"
#include "channel/loss.h"
#include "channel/page.h"
#include "channel/pass.h"
#include "channel/wait.h"
#include "clock.h"

/* Counts are published after so many events at the latest; losses and the head, at once */
#define PUBLISH_EVENTS	64

/* There may be room again: OVF, and a PSB+ if the reader needs one. */
static void resume(struct softpt_channel *ch, u64 tsc)
{
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB, .tsc = tsc };

	if (!softpt_channel_may_resume(ch))
		return;
	ch->loss.losing = false;
	softpt_engine_found(&ch->engine, tsc);
	if (ch->loss.resync && ch->engine.trigger_en)
		softpt_channel_pass(ch, &psb, softpt_channel_reserve(ch));
	ch->loss.resync = false;
}

/* Whether the next event may not just go on: bytes are overwritten, or few, or events dropped */
static bool needs_check(const struct softpt_channel *ch)
{
	return ch->ring.snapshot || ch->loss.crowded ||
	       atomic64_read(&ch->dropped) != ch->dropped_seen;
}

/* An event when all may have to be done: losses first, then room, then the MTCs of a gap */
static void any_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	softpt_channel_note_dropped(ch);
	if (ch->loss.losing)
		resume(ch, ev->tsc);
	if (ch->loss.crowded)
		softpt_channel_uncrowd(ch);
	while (!ch->loss.losing) {
		if (!softpt_channel_can_go_on(ch)) {
			if (!softpt_channel_crowd(ch))
				softpt_channel_lose(ch);
		} else if (!softpt_channel_pass(ch, ev, softpt_channel_kept(ch))) {
			if (needs_check(ch))
				softpt_channel_force_check(ch);
			return;
		}
	}
	softpt_channel_lose_event(ch, ev);
}

/* An event from before the channel's last, or one that the engine must not have */
static void late_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	struct softpt_event now = *ev;
	const char *why;

	now.tsc = max(now.tsc, ch->engine.now);
	if (WARN_ON_ONCE(softpt_engine_check(&ch->engine, &now, &why)))
		softpt_channel_drop(ch);
	else
		any_event(ch, &now);
}

/*
 * Sources are the module's own, and only the time is the machine's: all else is checked
 * by kernels that are made to find bugs.
 */
static bool is_good(const struct softpt_channel *ch, const struct softpt_event *ev)
{
	const char *why;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		return !softpt_engine_check(&ch->engine, ev, &why);
	return softpt_engine_in_time(&ch->engine, ev->tsc);
}

/* An event for which more must be done than to write its packets behind those of the last */
static noinline void checked_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	if (!ch->running || ev->tsc < READ_ONCE(ch->gate->on))
		return;
	softpt_channel_follow(ch);	/* the ring may freeze before this event */
	if (is_good(ch, ev))
		any_event(ch, ev);
	else
		late_event(ch, ev);
	softpt_channel_follow(ch);
	softpt_channel_publish(ch);
}

/* Now and then: what the reader sees, and what is lost on the channel's account */
static noinline void publish_now(struct softpt_channel *ch)
{
	softpt_channel_follow(ch);
	softpt_channel_publish(ch);
	if (needs_check(ch))
		softpt_channel_force_check(ch);
}

/* Live events may come under the run queue's lock. */
static noinline void wake_later(struct softpt_channel *ch)
{
	if (softpt_channel_readable(ch) || softpt_channel_truth_wakes(ch))
		irq_work_queue(&ch->wait.wake);
}

static inline void notify(struct softpt_channel *ch)
{
	if (ch->notify)
		ch->notify(ch);
	else if (unlikely(wq_has_sleeper(&ch->wait.rd_wait)))
		wake_later(ch);
}

static noinline void nested_event(struct softpt_channel *ch)
{
	if (ch->running)
		softpt_channel_drop(ch);
}

/**
 * softpt_channel_event() - give a live event to the channel
 * @ch: of the CPU that this runs on: softpt_gate_channel()
 * @ev: the event; its time is the TSC, or the model clock's
 *
 * The head moves with each event, counts and flags with every 64th and when more happens than
 * the event. A time before the channel's last event counts as that event's time; events
 * before the start and after the stop are ignored. A full ring loses
 * packets, never the engine's state: the closing anchor goes into the reserve, and
 * OVF follows when there is room. Events that nest into another (NMI) are lost
 * and counted.
 *
 * Context: interrupts off, on the channel's CPU. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
void softpt_channel_event(struct softpt_channel *ch, const struct softpt_event *ev)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(ev->tsc > READ_ONCE(ch->gate->off)))
		return;
	if (unlikely(in_nmi() || ch->in_engine)) {
		nested_event(ch);
		return;
	}
	ch->in_engine = true;
	barrier();	/* an NMI on this CPU sees this before the engine changes */
	if (unlikely(!is_good(ch, ev)) || unlikely(softpt_channel_emit(ch, ev)))
		checked_event(ch, ev);
	else if (unlikely(!(ch->engine.counts.events % PUBLISH_EVENTS) || ch->engine.watched))
		publish_now(ch);
	barrier();
	ch->in_engine = false;
	notify(ch);
}

/**
 * softpt_channel_count_slow() - softpt_channel_count() of a class that is wanted
 * @ch: as there, as all others
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 * @thread: hardware thread
 */
void softpt_channel_count_slow(struct softpt_channel *ch, u8 event_class, u16 submask, u8 cpl,
			       u8 thread)
{
	struct softpt_event idle = { .kind = SOFTPT_EV_IDLE };
	struct softpt_engine *e = &ch->engine;
	u8 cpl_before = e->context.cpl, thread_before = e->context.thread;

	lockdep_assert_irqs_disabled();
	if (!softpt_channel_takes_events(ch))
		return;
	e->context.cpl = cpl;
	e->context.thread = thread;
	softpt_count(e, event_class, submask, 1);
	e->context.cpl = cpl_before;
	e->context.thread = thread_before;
	softpt_fifo_counted(e);
	softpt_channel_publish_counters(ch);
	if (unlikely(e->triggers.set) && softpt_trigger_pending(e)) {
		idle.tsc = softpt_channel_clock(ch);
		softpt_channel_event(ch, &idle);
	}
}

/* The instant at which a live channel is stopped, on its own clock */
static u64 closing_time(const struct softpt_channel *ch)
{
	u64 tsc = ch->engine.now;

	if (ch->gate->wall_clock)
		tsc = min(READ_ONCE(ch->gate->off), softpt_clock());
	return max(tsc, ch->engine.now);
}

/**
 * softpt_channel_stop_live() - TraceEn falls; no event is taken any more
 * @data: the channel
 *
 * Context: interrupts off, on the channel's CPU, or on another while that is offline.
 */
void softpt_channel_stop_live(void *data)
{
	struct softpt_channel *ch = data;
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	if (!ch->running)
		return;
	ch->in_engine = true;
	barrier();	/* as in softpt_channel_event() */
	softpt_channel_note_dropped(ch);
	ev.tsc = closing_time(ch);
	if (ch->engine.trigger_en)
		any_event(ch, &ev);
	if (!ch->loss.losing)
		softpt_channel_flush(ch);
	softpt_channel_mark_done(ch);
	barrier();
	ch->in_engine = false;
	irq_work_queue(&ch->wait.wake);
}

/**
 * softpt_channel_demand_live() - an event on demand
 * @ch: the channel, owned by the caller
 * @kind: SOFTPT_EV_PSB or SOFTPT_EV_IDLE
 */
void softpt_channel_demand_live(struct softpt_channel *ch, u16 kind)
{
	struct softpt_event ev = { .kind = kind, .tsc = READ_ONCE(ch->gate->on) };

	if (ev.tsc == U64_MAX)
		return;		/* the start is still to come */
	if (ch->gate->wall_clock)
		ev.tsc = softpt_clock();
	softpt_channel_event(ch, &ev);
}
