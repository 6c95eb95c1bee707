// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Triggers are set and armed. */
#include "trigger.h"
#include "watch.h"

int softpt_set_trigger(struct softpt_triggers *t, const struct softpt_trigger *trigger,
		       const char **why)
{
	int err = softpt_trigger_check(trigger, why);
	u8 left;

	if (err)
		return err;
	t->slot[trigger->index].set = *trigger;
	if (trigger->source)
		t->set |= 1u << trigger->index;
	else
		t->set &= ~(1u << trigger->index);
	t->classes = 0;
	t->sources = 0;
	for (left = t->set; left; left &= left - 1) {
		const struct softpt_trigger *set = &t->slot[__builtin_ctz(left)].set;

		t->sources |= 1u << set->source;
		if (set->source == SOFTPT_ON_EVENT)
			t->classes |= 1ull << set->event_class;
	}
	return 0;
}

void softpt_triggers_arm(struct softpt_engine *e, const struct softpt_triggers *from)
{
	struct softpt_triggers *t = &e->triggers;
	u64 psbs = t->psbs;
	u8 left;

	memset(t, 0, sizeof(*t));
	t->psbs = psbs;
	t->psbs_before = psbs;
	t->set = from->set;
	t->sources = from->sources;
	t->classes = from->classes;
	for (left = t->set; left; left &= left - 1) {
		struct softpt_trigger_slot *slot = &t->slot[__builtin_ctz(left)];

		slot->set = from->slot[__builtin_ctz(left)].set;
		slot->left = slot->set.nth;
		if (slot->set.source == SOFTPT_ON_COUNTER)
			slot->taken = e->counters.wraps[slot->set.value];
	}
	softpt_wanted_update(e);
}
