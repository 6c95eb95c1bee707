// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What triggers may be set to, and how they are armed. */
#include "internal.h"

/* Which fields each source uses, and what is wrong with others */
static const struct {
	bool value, mask, select;
	const char *what;
} rules[SOFTPT_ON_NR] = {
	[SOFTPT_ON_NOTHING]	= { false, false, false, "one that is off has an index alone" },
	[SOFTPT_ON_IP]		= { true, true, false, "FROM (value) is not above TO (mask)" },
	[SOFTPT_ON_DATA]	= { true, true, false, "the address has bits outside of the mask" },
	[SOFTPT_ON_PTW]		= { true, true, false, "the value has bits outside of the mask" },
	[SOFTPT_ON_COUNTER]	= { true, false, false, "counter is 0..17" },
	[SOFTPT_ON_EVENT]	= { false, false, true, "class is 0..63" },
	[SOFTPT_ON_SYSCALL]	= { true, false, false, "a system call has a number alone" },
	[SOFTPT_ON_SIGNAL]	= { true, false, false, "signals are a set that is not empty" },
	[SOFTPT_ON_EXIT]	= { false, false, false, "an exit has no value" },
	[SOFTPT_ON_DEMAND]	= { false, false, false, "a demand has no value" },
};

/* A field that the source does not use */
static bool has_other(const struct softpt_trigger *t)
{
	return (t->value && !rules[t->source].value) || (t->mask && !rules[t->source].mask) ||
	       ((t->usr || t->os || t->event_class || t->submask) && !rules[t->source].select);
}

static bool is_bad(const struct softpt_trigger *t)
{
	switch (t->source) {
	case SOFTPT_ON_NOTHING:
		return t->flags || t->nth || t->after || t->after_unit;
	case SOFTPT_ON_IP:
		return t->value > t->mask;
	case SOFTPT_ON_DATA:
	case SOFTPT_ON_PTW:
		return t->value & ~t->mask;
	case SOFTPT_ON_COUNTER:
		return t->value >= SOFTPT_COUNTERS;
	case SOFTPT_ON_EVENT:
		return t->event_class >= SOFTPT_EVENT_CLASSES;
	case SOFTPT_ON_SIGNAL:
		return !t->value;
	}
	return false;
}

int softpt_trigger_check(const struct softpt_trigger *t, const char **why)
{
	bool freezes = t->flags & SOFTPT_TRIGGER_FREEZE;

	*why = "trigger is 0..7, source 0..9, reserved fields are zero";
	if (t->index >= SOFTPT_TRIGGERS || t->source >= SOFTPT_ON_NR || t->reserved0)
		return -EINVAL;
	*why = rules[t->source].what;
	if (has_other(t) || is_bad(t))
		return -EINVAL;
	*why = "nth is 1 or more";
	if (!t->nth && t->source)
		return -EINVAL;
	*why = "unknown flag";
	if (t->flags & ~SOFTPT_TRIGGER_ALL)
		return -EINVAL;
	*why = "only a signal is fatal";
	if (t->flags & SOFTPT_TRIGGER_FATAL && t->source != SOFTPT_ON_SIGNAL)
		return -EINVAL;
	*why = "what comes after the trigger event, and other units, are of one that freezes";
	if (!freezes && (t->after || t->after_unit || t->flags & SOFTPT_TRIGGER_UNITS))
		return -EINVAL;
	*why = "after: bytes, ticks or PSBs";
	return t->after_unit >= SOFTPT_AFTER_NR ? -EINVAL : 0;
}

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
	t->wants = 0;
	for (left = t->set; left; left &= left - 1) {
		const struct softpt_trigger *set = &t->slot[__builtin_ctz(left)].set;

		t->wants |= 1u << set->source;
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
	t->before = psbs;
	t->set = from->set;
	t->wants = from->wants;
	t->classes = from->classes;
	for (left = t->set; left; left &= left - 1) {
		struct softpt_trigger_slot *slot = &t->slot[__builtin_ctz(left)];

		slot->set = from->slot[__builtin_ctz(left)].set;
		slot->left = slot->set.nth;
		if (slot->set.source == SOFTPT_ON_COUNTER)
			slot->seen = e->counters.wraps[slot->set.value];
	}
	softpt_wanted_update(e);
}
