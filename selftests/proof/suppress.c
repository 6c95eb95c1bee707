// SPDX-License-Identifier: GPL-2.0-only
/*
 * The suppressor (kmod/engine/time/suppress.h) and the decoder's count of what it left out
 * (softpt_time_distance() in userspace/lib/time/timeline.h), proved by Frama-C's WP: for all
 * parameters, all tick indices and traces of any length, for each loop has an inductive
 * invariant. What the loops here do is what one_due() in kmod/engine/due.c does.
 *
 * Assumed: parameters that softpt_config_check() accepts; tick indices below 2^62.
 */
#include "proof.h"
#include "../../kmod/engine/time/suppress.h"
#include "../../userspace/lib/time/timeline.h"

#define LAST	(1ull << 62)

/*@
  predicate accepted(struct softpt_suppressor *s) =
	s->resume <= 2 && 1 <= s->burst && 1 <= s->full <= 255 &&
	(s->threshold != 0 ==> s->full == s->threshold && s->burst <= s->threshold) &&
	(s->resume == SOFTPT_RESUME_COUNT && s->threshold != 0 ==> s->value >= 1);

  predicate sane(struct softpt_suppressor *s) =
	accepted(s) && s->credit <= 255 && (s->threshold == 0 ==> s->credit >= 1) &&
	(s->resume == SOFTPT_RESUME_COUNT ==> s->suppressed <= s->value);

  predicate same(struct softpt_suppressor *s, struct softpt_suppressor *t) =
	s->threshold == t->threshold && s->full == t->full && s->burst == t->burst &&
	s->resume == t->resume && s->value == t->value &&
	s->credit == t->credit && s->suppressed == t->suppressed;

  // Ticks from @tick to the next with payload @v, itself not counted
  logic integer until(integer v, integer tick) = low8(v - tick);

  // Ticks that are left out if no NTP comes, @tick being the next
  logic integer due{L}(struct softpt_suppressor *s, integer tick, integer owed) =
	s->resume == SOFTPT_RESUME_COUNT ? \min(owed, s->value - s->suppressed) :
	s->resume == SOFTPT_RESUME_PAYLOAD ? \min(owed, until(s->value, tick)) : owed;
*/

/*@
  requires \valid(s) && sane(s);
  assigns s->credit, s->suppressed;
  ensures sane(s) && s->credit == s->full;
*/
static inline void softpt_suppressor_ntp(struct softpt_suppressor *s);

/*@
  requires \valid(s) && sane(s) && s->credit >= 1;
  assigns s->credit, s->suppressed;
  ensures sane(s);
  ensures s->threshold == 0 ==> s->credit == \old(s->credit);
  ensures s->threshold != 0 ==> s->credit == \old(s->credit) - 1;
  ensures s->credit == 0 ==> s->suppressed == 0;
*/
static inline void softpt_suppressor_sent(struct softpt_suppressor *s);

/*@
  requires \valid(s) && sane(s) && s->credit == 0 && tick + owed <= LAST;
  assigns s->credit, s->suppressed;
  ensures sane(s);
  ensures left: \result == due{Old}(s, tick, owed);
  ensures on: \result < owed ==> s->credit == s->burst && s->suppressed == 0;
  ensures off: \result == owed ==> s->credit == 0;
  ensures count: \result == owed ==> s->suppressed == (unsigned int)(\old(s->suppressed) + owed);
*/
static inline u64 softpt_suppressor_suppress(struct softpt_suppressor *s, u64 tick, u64 owed);

/*@
  assigns \nothing;
  ensures \forall integer to; tick < to <= tick + 256 && low8(to) == ctc ==>
	\result == to - tick;
*/
static inline unsigned int softpt_time_distance(uint64_t tick, uint8_t ctc);

/* Two units in the same state: one skips at once, the other goes tick by tick. */
/*@
  requires \valid(s) && \valid(t) && \separated(s, t) && sane(s) && sane(t) && same(s, t);
  requires s->credit == 0 && tick + owed <= LAST;
  assigns s->credit, s->suppressed, t->credit, t->suppressed;
  ensures same(s, t);
*/
static void at_once_is_tick_by_tick(struct softpt_suppressor *s, struct softpt_suppressor *t,
				    u64 tick, u64 owed)
{
	u64 n = softpt_suppressor_suppress(s, tick, owed), i = 0;

	/*@
	  loop invariant 0 <= i <= n && sane(t) && t->credit == 0;
	  loop invariant t->suppressed == (unsigned int)(\at(t->suppressed, Pre) + i);
	  loop assigns i, t->credit, t->suppressed;
	  loop variant owed - i;
	*/
	while (i < owed && softpt_suppressor_suppress(t, tick + i, 1))
		i++;
	/*@ assert i == n; */
}

/*
 * A unit and its decoder. @tick is the next tick; @sent that of the last MTC, or before the
 * clock's start; @seen what the decoder counts from: the last MTC or TSC.
 */
struct trace {
	u64 tick;
	u64 sent;
	u64 seen;
};

/*@
  predicate apart(struct softpt_suppressor *s, struct trace *t) =
	\valid(s) && \valid(t) && \separated(s, t) && sane(s);

  predicate in_order(struct trace *t) = t->sent <= t->seen < t->tick <= LAST;

  // The claim, and what makes it inductive: the tick that is to resume stays the same
  predicate holds(struct softpt_suppressor *s, struct trace *t) =
	in_order(t) && t->tick - t->sent - 1 <= 255 &&
	(s->threshold == 0 ==> t->sent == t->tick - 1) &&
	(s->resume == SOFTPT_RESUME_COUNT && s->credit == 0 ==>
		t->tick - t->sent - 1 <= s->suppressed) &&
	(s->resume == SOFTPT_RESUME_PAYLOAD && s->credit == 0 ==>
		t->tick + until(s->value, t->tick) ==
		t->sent + 1 + until(s->value, t->sent + 1));

  // With resume=tsc: what is sent is the tick behind what the decoder saw
  predicate holds_tsc(struct softpt_suppressor *s, struct trace *t) =
	in_order(t) && (s->credit != 0 ==> t->seen == t->tick - 1);

  predicate promised(struct softpt_suppressor *s, struct trace *t) =
	s->resume == SOFTPT_RESUME_TSC ? holds_tsc(s, t) : holds(s, t);
*/

/* A packet that is not timing, or a TNT bit. With resume=tsc a TSC precedes it if need be. */
/*@
  requires apart(s, t) && promised(s, t);
  assigns s->credit, s->suppressed, t->seen;
  ensures sane(s) && promised(s, t);
*/
static void ntp(struct softpt_suppressor *s, struct trace *t)
{
	if (s->resume == SOFTPT_RESUME_TSC)
		t->seen = t->tick - 1;
	softpt_suppressor_ntp(s);
}

/* A TSC packet: PSB+, or the closing anchor */
/*@
  requires apart(s, t) && promised(s, t);
  assigns t->seen;
  ensures promised(s, t);
*/
static void tsc(struct softpt_suppressor *s, struct trace *t)
{
	t->seen = t->tick - 1;
}

/* The MTC of a tick that was left out, by the pre-roll (none with resume=tsc) */
/*@
  requires apart(s, t) && promised(s, t);
  requires s->resume != SOFTPT_RESUME_TSC && t->seen < tick < t->tick;
  assigns t->sent, t->seen;
  ensures promised(s, t);
*/
static void late_mtc(struct softpt_suppressor *s, struct trace *t, u64 tick)
{
	unsigned int distance = softpt_time_distance(t->seen, tick);

	/*@ assert inverse: distance == tick - t->seen; */
	t->sent = tick;
	t->seen = tick;
}

/* Wake, end of an overflow, a healed gap: the clock restarts with TSC, TMA, CBR */
/*@
  requires apart(s, t) && promised(s, t) && t->tick <= tick < LAST;
  assigns *t, s->credit, s->suppressed;
  ensures sane(s) && promised(s, t);
*/
static void restart(struct softpt_suppressor *s, struct trace *t, u64 tick)
{
	softpt_suppressor_ntp(s);
	t->tick = tick + 1;
	t->sent = tick;
	t->seen = tick;
}

/*@
  requires apart(s, t) && promised(s, t) && s->credit != 0 && t->tick < LAST;
  assigns *t, s->credit, s->suppressed;
  ensures sane(s) && promised(s, t);
*/
static void mtc(struct softpt_suppressor *s, struct trace *t)
{
	unsigned int distance = softpt_time_distance(t->seen, t->tick);

	/*@ assert inverse: distance == t->tick - t->seen; */
	/*@ assert next: s->resume == SOFTPT_RESUME_TSC ==> distance == 1; */
	softpt_suppressor_sent(s);
	t->sent = t->tick;
	t->seen = t->tick;
	t->tick++;
}

/*@
  requires apart(s, t) && promised(s, t) && s->credit == 0 && t->tick + owed <= LAST;
  assigns t->tick, s->credit, s->suppressed;
  ensures sane(s) && promised(s, t);
*/
static void left_out(struct softpt_suppressor *s, struct trace *t, u64 owed)
{
	u64 n = softpt_suppressor_suppress(s, t->tick, owed);

	/*@ assert never: s->resume == SOFTPT_RESUME_TSC ==> n == owed; */
	t->tick += n;
}

/*@ assigns \nothing; */
u64 any(void);

/* Whatever happens, in whatever order, for ever */
/*@
  requires \valid(s) && sane(s) && s->credit == s->full && 1 <= tick <= LAST;
  assigns s->credit, s->suppressed;
*/
static void for_ever(struct softpt_suppressor *s, u64 tick)
{
	struct trace t = { .tick = tick, .sent = tick - 1, .seen = tick - 1 };

	/*@
	  loop invariant apart(s, &t) && promised(s, &t);
	  loop assigns t, s->credit, s->suppressed;
	*/
	while (t.tick < LAST) {
		u64 what = any(), n = any();

		if (what == 0)
			ntp(s, &t);
		else if (what == 1)
			tsc(s, &t);
		else if (what == 2 && s->resume != SOFTPT_RESUME_TSC && t.seen < n && n < t.tick)
			late_mtc(s, &t, n);
		else if (what == 3 && t.tick <= n && n < LAST)
			restart(s, &t, n);
		else if (s->credit)
			mtc(s, &t);
		else if (n <= LAST - t.tick)
			left_out(s, &t, n);
	}
}
