/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a trigger may be set to: one table for the engine, the module and the command's parser.
 * Shared source, not ABI. (Documentation/reference/trigger.rst)
 */
#ifndef _SOFTPT_TRIGGERS_H
#define _SOFTPT_TRIGGERS_H

#include <linux/errno.h>
#include <linux/softpt.h>

/* Fields of struct softpt_trigger that not every source uses */
#define SOFTPT_TRIGGER_HAS_VALUE	1
#define SOFTPT_TRIGGER_HAS_MASK		2
#define SOFTPT_TRIGGER_HAS_SELECT	4	/* usr, os, event_class and submask */

/* SOURCE(id, fields, broken, rule): the fields that it uses, and a rule for trigger @t */
#define SOFTPT_TRIGGER_SOURCES(SOURCE) \
	SOURCE(NOTHING,	0,		t->flags || t->nth || t->after || t->after_unit, \
	       "one that is off has an index alone") \
	SOURCE(IP,	SOFTPT_TRIGGER_HAS_VALUE | SOFTPT_TRIGGER_HAS_MASK, t->value > t->mask, \
	       "FROM (value) is not above TO (mask)") \
	SOURCE(DATA,	SOFTPT_TRIGGER_HAS_VALUE | SOFTPT_TRIGGER_HAS_MASK, t->value & ~t->mask, \
	       "the address has bits outside of the mask") \
	SOURCE(PTW,	SOFTPT_TRIGGER_HAS_VALUE | SOFTPT_TRIGGER_HAS_MASK, t->value & ~t->mask, \
	       "the value has bits outside of the mask") \
	SOURCE(COUNTER,	SOFTPT_TRIGGER_HAS_VALUE, t->value >= SOFTPT_COUNTERS, \
	       "counter is 0..17") \
	SOURCE(EVENT,	SOFTPT_TRIGGER_HAS_SELECT, t->event_class >= SOFTPT_EVENT_CLASSES, \
	       "class is 0..63") \
	SOURCE(SYSCALL,	SOFTPT_TRIGGER_HAS_VALUE, 0, "a system call has a number alone") \
	SOURCE(SIGNAL,	SOFTPT_TRIGGER_HAS_VALUE, !t->value, \
	       "signals are a set that is not empty") \
	SOURCE(EXIT,	0,		0, "an exit has no value") \
	SOURCE(DEMAND,	0,		0, "a demand has no value")

/* RULE(broken, rule) of trigger @t, whatever its source; after the rule of its source */
#define SOFTPT_TRIGGER_RULES(RULE) \
	RULE(t->source && !t->nth, "nth is 1 or more") \
	RULE(t->flags & ~SOFTPT_TRIGGER_ALL, "unknown flag") \
	RULE(t->flags & SOFTPT_TRIGGER_FATAL && t->source != SOFTPT_ON_SIGNAL, \
	     "only a signal is fatal") \
	RULE(!(t->flags & SOFTPT_TRIGGER_FREEZE) && \
	     (t->after || t->after_unit || t->flags & SOFTPT_TRIGGER_UNITS), \
	     "what comes after the trigger event, and other units, are of one that freezes") \
	RULE(t->after_unit >= SOFTPT_AFTER_NR, "after: bytes, ticks or PSBs")

/* Those of the fields that are not zero */
static inline unsigned int softpt_trigger_fields(const struct softpt_trigger *t)
{
	return (t->value ? SOFTPT_TRIGGER_HAS_VALUE : 0) |
	       (t->mask ? SOFTPT_TRIGGER_HAS_MASK : 0) |
	       (t->usr || t->os || t->event_class || t->submask ? SOFTPT_TRIGGER_HAS_SELECT : 0);
}

/**
 * softpt_trigger_check() - check what a trigger is to wait for
 * @t: number and content; its size is not looked at
 * @why: set to the rule that it breaks
 *
 * Return: 0, or -EINVAL.
 */
static inline int softpt_trigger_check(const struct softpt_trigger *t, const char **why)
{
	*why = "trigger is 0..7, source 0..9, reserved fields are zero";
	if (t->index >= SOFTPT_TRIGGERS || t->source >= SOFTPT_ON_NR || t->reserved0)
		return -EINVAL;
	switch (t->source) {
#define SOURCE(id, fields, broken, rule) \
	case SOFTPT_ON_##id: \
		*why = rule; \
		if (softpt_trigger_fields(t) & ~(fields) || (broken)) \
			return -EINVAL; \
		break;
	SOFTPT_TRIGGER_SOURCES(SOURCE)
#undef SOURCE
	}
#define RULE(broken, rule) \
	*why = rule; \
	if (broken) \
		return -EINVAL;
	SOFTPT_TRIGGER_RULES(RULE)
#undef RULE
	return 0;
}

#endif /* _SOFTPT_TRIGGERS_H */
