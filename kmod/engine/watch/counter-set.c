// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When ESCRs and counters may be set: a new event is selected only for a counter that was
 * stopped and cleared.
 */
#include "counter.h"

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
	int err = softpt_escr_check(escr, why);

	if (err)
		return err;
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
	int err = softpt_counter_check(counter, why);
	u32 k = counter->index, bit;

	if (err)
		return err;
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
	int err = softpt_count_args_check(args, why);

	if (err)
		return err;
	*why = "a counter has no event: set it first";
	if (args->start & ~c->set)
		return -EINVAL;
	return 0;
}
