// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters and triggers of an engine: select, mask, qualify, count. */
#include "counter.h"
#include "trigger.h"
#include "watch.h"

void softpt_count_slow(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	struct softpt_counters *c = &e->counters;
	u32 left, thread = 1u << e->context.thread;

	for (left = c->of_class[event_class]; left; left &= left - 1) {
		unsigned int k = __builtin_ctz(left);
		const struct softpt_select *s = &c->escr[c->escr_of[k]];

		if (!(s->mask & submask))
			continue;
		if (!((e->context.cpl ? s->usr : s->os) & thread))
			continue;
		softpt_counter_add(c, k, n);
		c->bank[e->context.thread][k] += n;
	}
	if (e->triggers.classes >> event_class & 1)
		softpt_trigger_count(e, event_class, submask, n);
}

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
	softpt_watched_update(e);
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
