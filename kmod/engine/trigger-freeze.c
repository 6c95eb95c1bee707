// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* After a trigger event: how much more belongs to what the ring is to hold when it freezes. */
#include "internal.h"

static u64 sum(u64 a, u64 b)
{
	return a > U64_MAX - b ? U64_MAX : a + b;
}

/* The TE was now. So much more is to come; never more bytes than so many intervals may have. */
void softpt_trigger_freeze(struct softpt_engine *e, const struct softpt_trigger *set)
{
	u64 interval = softpt_psb_interval(&e->cfg), bytes = set->after;
	struct softpt_triggers *t = &e->triggers;

	t->freezing = SOFTPT_FREEZE_ENDS;
	t->freezer = set->index;
	t->end_bytes = U64_MAX;
	t->end_tsc = U64_MAX;
	t->end_psbs = U64_MAX;
	switch (set->after_unit) {
	case SOFTPT_AFTER_TICKS:
		t->end_tsc = sum(e->now, set->after);
		return;
	case SOFTPT_AFTER_PSBS:
		t->end_psbs = sum(t->psbs, set->after);
		bytes = set->after > U64_MAX / interval ? U64_MAX : set->after * interval;
		break;
	}
	t->end_bytes = sum(e->counts.bytes, bytes);
}

/* An event is over, its bytes counted: is it the last that belongs to the TE? */
void softpt_trigger_settle(struct softpt_engine *e)
{
	struct softpt_triggers *t = &e->triggers;

	if (t->freezing == SOFTPT_FREEZE_ENDS &&
	    (e->counts.bytes >= t->end_bytes || e->now >= t->end_tsc || t->psbs >= t->end_psbs))
		t->freezing = SOFTPT_FREEZE_DUE;
}

void softpt_trigger_rearm(struct softpt_engine *e)
{
	e->triggers.freezing = SOFTPT_FREEZE_NOT;
	if (e->enabled_before)
		e->psb_at = 0;
}

/* Bytes up to the next thing that is due by their number, and room for one step more */
static u64 piece(const struct softpt_engine *e, const struct softpt_sink *s)
{
	u64 next = e->triggers.freezing == SOFTPT_FREEZE_ENDS ? e->triggers.end_bytes : U64_MAX;
	u64 bytes = softpt_bytes(e, s);

	if (e->trigger_en)	/* an overflow may end on the way */
		next = min(next, e->psb_at);
	return next > bytes ? sum(next - bytes, SOFTPT_STEP_ROOM) : SOFTPT_STEP_ROOM;
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
bool softpt_trigger_advance(struct softpt_engine *e, const struct softpt_event *ev,
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
		softpt_begin(e, s);
		softpt_truth_end(e, s, e->counts.events, SOFTPT_EV_PSB, SOFTPT_TRUTH_END);
	}
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
