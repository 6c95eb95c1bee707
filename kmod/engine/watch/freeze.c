// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* After a trigger event: how much more the ring takes before it is frozen. */
#include "freeze.h"

/* A limit of PSBs is one of bytes, too: never more bytes than so many intervals may have. */
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
		t->end_tsc = softpt_sum(e->now, set->after);
		return;
	case SOFTPT_AFTER_PSBS:
		t->end_psbs = softpt_sum(t->psbs, set->after);
		bytes = set->after > U64_MAX / interval ? U64_MAX : set->after * interval;
		break;
	}
	t->end_bytes = softpt_sum(e->counts.bytes, bytes);
}

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
		softpt_psb_demand(e);
}
