// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters: select, mask, qualify, count. What a register may hold is in select.c. */
#include "internal.h"

/* Counter @k counts @n more; the value has 40 bits */
static void add(struct softpt_counters *c, unsigned int k, u64 n)
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

void softpt_count_slow(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	struct softpt_counters *c = &e->counters;
	u32 left, thread = 1u << e->thread;

	for (left = c->of_class[event_class]; left; left &= left - 1) {
		unsigned int k = __builtin_ctz(left);
		const struct softpt_select *s = &c->escr[c->escr_of[k]];

		if (!(s->mask & submask))
			continue;
		if (!((e->cpl ? s->usr : s->os) & thread))
			continue;
		add(c, k, n);
		c->bank[e->thread][k] += n;
	}
	if (e->triggers.classes >> event_class & 1)
		softpt_trigger_count(e, event_class, submask, n);
}

/* What the unit has done since it was last asked, with the thread and CPL of now */
void softpt_count_trace(struct softpt_engine *e)
{
	struct softpt_counters *c = &e->counters;
	u64 suppressed = e->counts.mtc_suppressed + c->late;
	u64 mtc = e->counts.mtc - c->mtc;

	softpt_count(e, SOFTPT_CLASS_TRACE, SOFTPT_SUB_TRACE_PACKETS,
		     e->counts.packets - c->packets - mtc);
	softpt_count(e, SOFTPT_CLASS_TRACE, SOFTPT_SUB_TRACE_PACKETS | SOFTPT_SUB_TRACE_MTC, mtc);
	softpt_count(e, SOFTPT_CLASS_TRACE, SOFTPT_SUB_TRACE_MTC_SUPPRESSED,
		     suppressed - c->suppressed);
	c->packets = e->counts.packets;
	c->mtc = e->counts.mtc;
	c->suppressed = suppressed;
}

/* Other counters run, or other triggers are armed */
void softpt_wanted_update(struct softpt_engine *e)
{
	struct softpt_counters *c = &e->counters;
	unsigned int k;

	c->wanted = e->triggers.classes;
	memset(c->of_class, 0, sizeof(c->of_class));
	for (k = 0; k < SOFTPT_COUNTERS; k++) {
		const struct softpt_select *s = &c->escr[c->escr_of[k]];

		if (!(c->running >> k & 1))
			continue;
		c->wanted |= 1ull << s->event_class;
		c->of_class[s->event_class] |= 1u << k;
	}
	softpt_slow_update(e);
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

void softpt_count_control(struct softpt_engine *e, u64 tsc, const struct softpt_count_args *args)
{
	softpt_count_trace(e);
	softpt_counters_control(&e->counters, tsc, args);
	softpt_wanted_update(e);
}

void softpt_counters_adopt(struct softpt_engine *e, const struct softpt_counters *c)
{
	e->counters = *c;
	e->counters.packets = e->counts.packets;
	e->counters.mtc = e->counts.mtc;
	e->counters.suppressed = e->counts.mtc_suppressed;
	e->counters.late = 0;
	softpt_wanted_update(e);
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
