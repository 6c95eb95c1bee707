// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time passes up to an event. While triggers are armed, it passes up to a freeze at most. */
#include "advance.h"
#include "due.h"
#include "flow/group.h"
#include "watch/truth.h"

/* Bytes up to a freeze or a PSB+, whichever comes first, and room for one thing that is due */
static u64 piece(const struct softpt_engine *e, const struct softpt_sink *s)
{
	u64 next = e->triggers.freezing == SOFTPT_FREEZE_ENDS ? e->triggers.end_bytes : U64_MAX;
	u64 bytes = softpt_bytes(e, s);

	if (e->trigger_en)	/* an overflow may end on the way */
		next = min(next, e->psb_at);
	return next > bytes ? softpt_sum(next - bytes, SOFTPT_STEP_ROOM) : SOFTPT_STEP_ROOM;
}

/* Write a piece of the gap. Return: true when the gap is over */
static bool pass(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u8 *end = s->end;
	u64 room = piece(e, s);
	bool done;

	if (end > s->cur && room < (u64)(end - s->cur))	/* an NMI may have closed the sink */
		s->end = s->cur + room;
	done = softpt_pass_time(e, ev, s);
	s->end = end;
	return done;
}

/* The ring is to be frozen at a time that is before @tsc. */
static bool is_late(const struct softpt_engine *e, u64 tsc)
{
	return e->triggers.freezing == SOFTPT_FREEZE_ENDS && tsc > e->triggers.end_tsc;
}

/*
 * Time passes up to @ev, or up to the freeze. In a long gap PSBs are written between the MTCs.
 * Without them a ring could hold MTCs alone, which cannot be decoded.
 *
 * Return: false when the ring is to be frozen, or more room is needed, before @ev.
 */
static noinline bool advance_armed(struct softpt_engine *e, const struct softpt_event *ev,
				   struct softpt_sink *s)
{
	struct softpt_triggers *t = &e->triggers;
	struct softpt_event last = { .kind = SOFTPT_EV_IDLE, .tsc = t->end_tsc };
	bool late = is_late(e, ev->tsc), done;

	for (;;) {
		done = pass(e, late ? &last : ev, s);
		if (done && late)
			e->now = last.tsc;
		if (t->freezing == SOFTPT_FREEZE_ENDS &&
		    ((done && late) || softpt_bytes(e, s) >= t->end_bytes))
			t->freezing = SOFTPT_FREEZE_DUE;
		if (done || t->freezing == SOFTPT_FREEZE_DUE)
			return t->freezing != SOFTPT_FREEZE_DUE;
		if (!softpt_on(e) || !softpt_psb_due(e, s) || s->end - s->cur < SOFTPT_GROUP_MAX)
			return false;
		softpt_truth_begin(e, s);
		softpt_put_preceding(e, s);
		softpt_truth_end(e, s, e->counts.events, SOFTPT_EV_PSB, SOFTPT_TRUTH_END);
	}
}

bool softpt_advance(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (e->triggers.set)
		return advance_armed(e, ev, s);
	return softpt_pass_time(e, ev, s);
}

bool softpt_trigger_too_late(struct softpt_engine *e)
{
	if (likely(!is_late(e, e->now)))
		return false;
	e->now = e->triggers.end_tsc;
	e->counts.events--;
	e->triggers.freezing = SOFTPT_FREEZE_DUE;
	return true;
}
