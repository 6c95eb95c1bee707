/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What ESCRs and counters may be set to: one table for the engine, the module, the library and the
 * command. Shared source, not ABI. (Documentation/reference/counters.rst)
 */
#ifndef _SOFTPT_COUNTERS_H
#define _SOFTPT_COUNTERS_H

#include <linux/errno.h>
#include <linux/softpt.h>
#include <softpt/classes.h>

#define SOFTPT_COUNTER_MASK	((1ull << SOFTPT_COUNTER_BITS) - 1)
#define SOFTPT_COUNTERS_ALL	((1u << SOFTPT_COUNTERS) - 1)	/* a bit for each */

/* RULE(error, broken, rule): an ESCR sees one sub-area, and feeds the counters of its area */
#define SOFTPT_ESCR_RULES(RULE) \
	RULE(EINVAL, escr->index >= SOFTPT_ESCRS || escr->event_class >= SOFTPT_EVENT_CLASSES || \
	     escr->reserved0 || escr->reserved, \
	     "ESCR is 0..47, class 0..63, reserved fields are zero") \
	RULE(EXDEV, softpt_subarea_of_class(escr->event_class) != \
	     softpt_subarea_of_escr(escr->index), \
	     "the class belongs to another sub-area than the ESCR")

#define SOFTPT_COUNTER_RULES(RULE) \
	RULE(EINVAL, counter->index >= SOFTPT_COUNTERS || counter->escr >= SOFTPT_ESCRS || \
	     counter->preset > SOFTPT_COUNTER_MASK, \
	     "counter is 0..17, ESCR 0..47, preset below 2^40") \
	RULE(EINVAL, counter->flags & ~SOFTPT_COUNTER_ALL, "unknown flag") \
	RULE(EXDEV, softpt_area_of_subarea(softpt_subarea_of_escr(counter->escr)) != \
	     softpt_area_of_counter(counter->index), \
	     "the ESCR belongs to another area than the counter")

#define SOFTPT_COUNT_RULES(RULE) \
	RULE(EINVAL, (args->stop | args->clear | args->start) & ~SOFTPT_COUNTERS_ALL, \
	     "counters are bits 0..17") \
	RULE(EINVAL, args->flags & ~SOFTPT_COUNT_ALL || args->reserved, \
	     "unknown flag, or a reserved field") \
	RULE(EINVAL, !(~args->flags & (SOFTPT_COUNT_TSC_OFF | SOFTPT_COUNT_TSC_ON)) || \
	     !(~args->flags & (SOFTPT_COUNT_TSC_RESET | SOFTPT_COUNT_TSC_PRESET)), \
	     "the time-stamp counter is either turned off or on, reset or preset") \
	RULE(EINVAL, args->tsc_preset && !(args->flags & SOFTPT_COUNT_TSC_PRESET), \
	     "a preset of the time-stamp counter needs its flag")

/* In a function that returns 0 or an error: the first rule that is broken */
#define SOFTPT_RULE(error, broken, rule) \
	*why = rule; \
	if (broken) \
		return -error;

/**
 * softpt_escr_check() - check what an ESCR is to select
 * @escr: number and content; its size is not looked at
 * @why: set to the rule that it breaks
 *
 * Return: 0; -EINVAL for a number out of range or a reserved field; -EXDEV when the class belongs
 * to another sub-area.
 */
static inline int softpt_escr_check(const struct softpt_escr *escr, const char **why)
{
	SOFTPT_ESCR_RULES(SOFTPT_RULE)
	return 0;
}

/**
 * softpt_counter_check() - check what a counter is to be set to
 * @counter: number, ESCR and preset; its size is not looked at
 * @why: set to the rule that it breaks
 *
 * Return: 0; -EINVAL for a number, a preset or a flag out of range; -EXDEV for an ESCR of another
 * area.
 */
static inline int softpt_counter_check(const struct softpt_counter *counter, const char **why)
{
	SOFTPT_COUNTER_RULES(SOFTPT_RULE)
	return 0;
}

/**
 * softpt_count_args_check() - check what SOFTPT_COUNT asks for, of any counters
 * @args: its size is not looked at
 * @why: set to the rule that it breaks
 *
 * Return: 0; -EINVAL for a bit that is no counter's, an unknown flag, flags that contradict each
 * other, a reserved field.
 */
static inline int softpt_count_args_check(const struct softpt_count_args *args, const char **why)
{
	SOFTPT_COUNT_RULES(SOFTPT_RULE)
	return 0;
}

#endif /* _SOFTPT_COUNTERS_H */
