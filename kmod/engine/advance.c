// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time passes up to an event. While triggers are armed, only as far as what is to be frozen. */
#include "advance.h"
#include "due.h"
#include "flow/group.h"
#include "watch/truth.h"

/* Bytes up to the next thing that is due by their number, and room for one step more */
static u64 piece(const struct softpt_engine *e, const struct softpt_sink *s)
{
	u64 next = e->triggers.freezing == SOFTPT_FREEZE_ENDS ? e->triggers.end_bytes : U64_MAX;
	u64 bytes = softpt_bytes(e, s);

	if (e->trigger_en)	/* an overflow may end on the way */
		next = min(next, e->psb_at);
	return next > bytes ? softpt_sum(next - bytes, SOFTPT_STEP_ROOM) : SOFTPT_STEP_ROOM;
}

/* Return: whether all of the gap is over, or of the piece of it that there was room for */
static bool pass(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u8 *end = s->end;
	u64 room = piece(e, s);
	bool done;

	if (end > s->cur && room < (u64)(end - s->cur))	/* an NMI may have shut it */
		s->end = s->cur + room;
	done = softpt_pass_time(e, ev, s);
	s->end = end;
	return done;
}

/* What freezes in time ends with it, not with what comes later. */
static bool is_late(const struct softpt_engine *e, u64 tsc)
{
	return e->triggers.freezing == SOFTPT_FREEZE_ENDS && tsc > e->triggers.end_tsc;
}

/*
 * Time passes up to @ev, or up to where the ring is to be frozen. Where nothing but MTCs
 * comes for long, there are PSBs between them: else a ring could be full of MTCs that
 * nobody can read.
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

/*
 * Return: false when the sink is full before @ev's time is reached, or when what was sent
 * is to be frozen
 */
bool softpt_advance(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (e->triggers.set)
		return advance_armed(e, ev, s);
	return softpt_pass_time(e, ev, s);
}

/*
 * Nothing else was due before the event that is about to happen, now. Return: whether the
 * ring is to be frozen before: then it does not happen.
 */
bool softpt_trigger_too_late(struct softpt_engine *e)
{
	if (likely(!is_late(e, e->now)))
		return false;
	e->now = e->triggers.end_tsc;
	e->counts.events--;
	e->triggers.freezing = SOFTPT_FREEZE_DUE;
	return true;
}
