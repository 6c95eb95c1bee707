// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters without an engine: count, clear, read. counter-set.c has what sets them. */
#include "counter.h"

void softpt_counter_add(struct softpt_counters *c, unsigned int k, u64 n)
{
	u64 sum = c->value[k] + (n & SOFTPT_COUNTER_MASK);
	u64 wraps = (n >> SOFTPT_COUNTER_BITS) + (sum >> SOFTPT_COUNTER_BITS);

	c->value[k] = sum & SOFTPT_COUNTER_MASK;
	if (likely(!wraps))
		return;
	c->overflows[k] += wraps;
	c->wraps[k] += wraps;
	c->overflowed |= 1u << k;
	c->fresh |= 1u << k;
	c->breaks |= c->breaking & 1u << k;
}

static void clear(struct softpt_counters *c, u32 which)
{
	unsigned int k, t;

	for (k = 0; k < SOFTPT_COUNTERS; k++) {
		if (!(which >> k & 1))
			continue;
		c->value[k] = 0;
		c->overflows[k] = 0;
		for (t = 0; t < SOFTPT_THREADS; t++)
			c->bank[t][k] = 0;
	}
	c->overflowed &= ~which;
	c->fresh &= ~which;
	c->breaks &= ~which;
	c->dirty &= ~which | c->running;
}

u64 softpt_counters_stamp(const struct softpt_counters *c, u64 tsc)
{
	return c->tsc_off ? c->tsc : tsc + c->tsc;
}

static void stamp_control(struct softpt_counters *c, u64 tsc, const struct softpt_count_args *args)
{
	u64 value = softpt_counters_stamp(c, tsc);

	if (args->flags & SOFTPT_COUNT_TSC_RESET)
		value = 0;
	if (args->flags & SOFTPT_COUNT_TSC_PRESET)
		value = args->tsc_preset;
	if (args->flags & SOFTPT_COUNT_TSC_OFF)
		c->tsc_off = true;
	if (args->flags & SOFTPT_COUNT_TSC_ON)
		c->tsc_off = false;
	c->tsc = c->tsc_off ? value : value - tsc;
}

void softpt_counters_control(struct softpt_counters *c, u64 tsc,
			     const struct softpt_count_args *args)
{
	c->running &= ~args->stop;
	clear(c, args->clear);
	c->running |= args->start;
	c->dirty |= args->start;
	stamp_control(c, tsc, args);
}

void softpt_counters_read(const struct softpt_counters *c, u64 tsc,
			  struct softpt_counter_values *v)
{
	bool one = v->flags & SOFTPT_READ_THREAD;
	unsigned int k;

	v->running = c->running;
	v->overflowed = c->overflowed;
	v->reserved = 0;
	v->tsc = softpt_counters_stamp(c, tsc);
	for (k = 0; k < SOFTPT_COUNTERS; k++) {
		v->value[k] = one ? c->bank[v->thread % SOFTPT_THREADS][k] : c->value[k];
		v->overflows[k] = one ? 0 : c->overflows[k];
	}
}
