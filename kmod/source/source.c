// SPDX-License-Identifier: GPL-2.0-only
/* What a source can do (source.h) */

#include <linux/bits.h>

#include <softpt/classes.h>

#include "source.h"

/* Whether a source works on this machine */
bool softpt_source_works(const struct softpt_source_ops *ops)
{
	return !ops->available || ops->available();
}

/*
 * Each event has at least one subclass. If the mask holds all subclasses that the source supports,
 * no event of the class is missed.
 */
static bool covers(const struct softpt_event_class_support *s, u16 mask)
{
	return !(mask & ~s->submask) || (mask & s->submask) == s->submask;
}

/**
 * softpt_source_can_count() - whether a source misses no event that a counter is to count
 * @ops: the source
 * @event_class: enum softpt_event_class
 * @mask: subclasses; 0: none is counted
 * @need: bits of enum softpt_need
 */
bool softpt_source_can_count(const struct softpt_source_ops *ops, u8 event_class, u16 mask,
			     unsigned int need)
{
	const struct softpt_event_class_support *s;

	if (!mask || event_class == SOFTPT_CLASS_TRACE)
		return !need;
	if (!ops->classes)
		return !(need & SOFTPT_NEED_STOP);
	for (s = ops->classes; s->submask; s++)
		if (s->event_class == event_class)
			return covers(s, mask) && (s->stops || !(need & SOFTPT_NEED_STOP)) &&
			       (s->located || !(need & SOFTPT_NEED_ADDRESS));
	return false;
}

/**
 * softpt_source_can_trigger() - whether a source misses nothing that a trigger waits for
 * @ops: the source
 * @trigger: what it is set to
 */
bool softpt_source_can_trigger(const struct softpt_source_ops *ops,
			       const struct softpt_trigger *trigger)
{
	if (trigger->source == SOFTPT_ON_EVENT)
		return softpt_source_can_count(ops, trigger->event_class, trigger->submask, 0);
	return !trigger->source || !ops->trigger_sources ||
	       ops->trigger_sources & BIT(trigger->source);
}
