// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is due before an event: ticks, wraps of the cycle counter, the end of a sleep or of an
 * overflow. The cost is by what is written: a suppressed gap is one call, whatever its length.
 */
#include "due.h"
#include "flow/enable.h"
#include "time/cycles.h"
#include "time/ticks.h"
#include "watch/truth.h"
#include "watch/watch.h"

/* A live gap owes too many MTCs, or too many CYCs of a narrow counter, of up to 9 bytes each. */
static bool gap_too_long(const struct softpt_engine *e, u64 tsc)
{
	if (e->mtc.next.tsc <= tsc && tsc - e->mtc.next.tsc > e->mtc.gap_max)
		return true;
	return e->wrap_at <= tsc &&
	       (tsc - e->wrap_at) / (softpt_live_gap_bytes(e) / 8) > e->cycles.span;
}

/* A live channel must not write for long with interrupts off: TSC, TMA, CBR stand for the gap. */
static void gap_restart(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	softpt_flush_anchored(e, s);
	e->now = tsc;
	softpt_truth_begin(e, s);
	softpt_restart(e, s);
	softpt_truth_end(e, s, e->counts.events, SOFTPT_EV_IDLE, SOFTPT_TRUTH_END);
	softpt_suppressor_ntp(&e->mtc.sup);
	softpt_ticks_start(e, tsc);
	e->counts.gaps++;
}

/* The next thing that is due by @tsc is an MTC that is sent. */
static inline bool is_plain_tick(const struct softpt_engine *e, u64 tsc)
{
	return e->mtc.next.tsc <= tsc && tsc < e->wrap_at && e->mtc.sup.credit &&
	       (tsc - e->mtc.next.tsc <= e->mtc.gap_max || !e->live);
}

/* The clocks have stood still up to @tsc. */
static noinline void wake(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	e->now = tsc;
	softpt_truth_begin(e, s);
	softpt_wake(e, s, tsc);
	softpt_truth_end(e, s, e->counts.events, SOFTPT_EV_SLEEP, SOFTPT_TRUTH_END);
}

/* There is room again from @tsc on. */
static noinline void overflow_end(struct softpt_engine *e, const struct softpt_event *ev,
				  struct softpt_sink *s, u64 tsc)
{
	e->now = tsc;
	softpt_truth_begin(e, s);
	softpt_overflow_end(e, ev, s, tsc);
	softpt_truth_end(e, s, e->counts.events, SOFTPT_EV_OVF, SOFTPT_TRUTH_END);
}

/* One thing that is due before or at @tsc */
static noinline void one_due(struct softpt_engine *e, const struct softpt_event *ev,
			     struct softpt_sink *s)
{
	u64 tsc = ev->tsc, until;

	if (e->asleep) {
		wake(e, s, min(tsc, e->stop.wake_at));
	} else if (e->overflow) {
		overflow_end(e, ev, s, e->stop.resume_at);
	} else if (e->live && gap_too_long(e, tsc)) {
		gap_restart(e, s, tsc);
	} else if (e->mtc.next.tsc <= tsc && !e->mtc.sup.credit) {
		softpt_ticks_suppress(e, tsc);
	} else {
		until = min(tsc, e->mtc.next.tsc);
		if (e->wrap_at <= until)
			softpt_cycles_wrap(e, s, until);
		else
			softpt_ticks_emit(e, s, 0);
	}
}

bool softpt_pass_time(struct softpt_engine *e, const struct softpt_event *ev,
		      struct softpt_sink *s)
{
	if (e->asleep && ev->kind == SOFTPT_EV_IDLE && ev->tsc < e->stop.wake_at)
		return true;
	while (ev->tsc >= e->due) {
		if (s->end - s->cur < SOFTPT_STEP_ROOM)
			return false;
		if (likely(is_plain_tick(e, ev->tsc)))
			softpt_ticks_emit(e, s, ev->tsc);
		else
			one_due(e, ev, s);
	}
	if (unlikely(e->watched))
		softpt_count_trace(e);
	return true;
}
