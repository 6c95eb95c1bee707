// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What ESCRs and counters may be set to, and when: an ESCR sees one sub-area and feeds
 * the counters of its area; a new event is selected only for a counter that was
 * stopped and cleared.
 */
#include "counter.h"

#define ALL_COUNTERS	((1u << SOFTPT_COUNTERS) - 1)

/* A counter that is not both stopped and cleared uses @escr */
static bool escr_in_use(const struct softpt_counters *c, u32 escr)
{
	u32 busy = c->running | c->dirty;
	unsigned int k;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if ((c->set & busy) >> k & 1 && c->escr_of[k] == escr)
			return true;
	return false;
}

int softpt_set_escr(struct softpt_counters *c, const struct softpt_escr *escr, const char **why)
{
	*why = "ESCR is 0..47, class 0..63, reserved fields are zero";
	if (escr->index >= SOFTPT_ESCRS || escr->event_class >= SOFTPT_EVENT_CLASSES ||
	    escr->reserved0 || escr->reserved)
		return -EINVAL;
	*why = "the class belongs to another sub-area than the ESCR";
	if (softpt_subarea_of_class(escr->event_class) != softpt_subarea_of_escr(escr->index))
		return -EXDEV;
	*why = "a counter that uses the ESCR is not stopped and cleared";
	if (escr_in_use(c, escr->index))
		return -EBUSY;
	c->escr[escr->index] = (struct softpt_select) {
		.usr = escr->usr,
		.os = escr->os,
		.mask = escr->mask,
		.event_class = escr->event_class,
	};
	return 0;
}

void softpt_counter_preset(struct softpt_counters *c, unsigned int k, u64 preset)
{
	u32 bit = 1u << k, t;

	c->value[k] = preset;
	c->overflows[k] = 0;
	for (t = 0; t < SOFTPT_THREADS; t++)
		c->bank[t][k] = 0;
	c->overflowed &= ~bit;
	c->fresh &= ~bit;
	c->breaks &= ~bit;
}

int softpt_set_counter(struct softpt_counters *c, const struct softpt_counter *counter,
		       const char **why)
{
	u32 k = counter->index, bit;

	*why = "counter is 0..17, ESCR 0..47, preset below 2^40";
	if (k >= SOFTPT_COUNTERS || counter->escr >= SOFTPT_ESCRS ||
	    counter->preset > SOFTPT_COUNTER_MASK)
		return -EINVAL;
	*why = "unknown flag";
	if (counter->flags & ~SOFTPT_COUNTER_ALL)
		return -EINVAL;
	*why = "the ESCR belongs to another area than the counter";
	if (softpt_area_of_subarea(softpt_subarea_of_escr(counter->escr)) !=
	    softpt_area_of_counter(k))
		return -EXDEV;
	bit = 1u << k;
	*why = "the counter is running";
	if (c->running & bit)
		return -EBUSY;
	*why = "the counter must be cleared before it counts another event";
	if (c->dirty & bit && c->escr_of[k] != counter->escr)
		return -EBUSY;
	c->set |= bit;
	c->escr_of[k] = counter->escr;
	softpt_counter_preset(c, k, counter->preset);
	c->dirty = counter->preset ? c->dirty | bit : c->dirty & ~bit;
	c->breaking = counter->flags & SOFTPT_COUNTER_BREAK ? c->breaking | bit :
							      c->breaking & ~bit;
	return 0;
}

int softpt_count_check(const struct softpt_counters *c, const struct softpt_count_args *args,
		       const char **why)
{
	*why = "counters are bits 0..17";
	if ((args->stop | args->clear | args->start) & ~ALL_COUNTERS)
		return -EINVAL;
	*why = "unknown flag, or a reserved field";
	if (args->flags & ~SOFTPT_COUNT_ALL || args->reserved)
		return -EINVAL;
	*why = "the time-stamp counter is either turned off or on, reset or preset";
	if (!(~args->flags & (SOFTPT_COUNT_TSC_OFF | SOFTPT_COUNT_TSC_ON)) ||
	    !(~args->flags & (SOFTPT_COUNT_TSC_RESET | SOFTPT_COUNT_TSC_PRESET)))
		return -EINVAL;
	*why = "a preset of the time-stamp counter needs its flag";
	if (args->tsc_preset && !(args->flags & SOFTPT_COUNT_TSC_PRESET))
		return -EINVAL;
	*why = "a counter has no event: set it first";
	if (args->start & ~c->set)
		return -EINVAL;
	return 0;
}
