// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ContextEn and FilterEn (SDM, "Context Enable", "Filter Enable") */
#include "filter.h"

static bool covers(const struct softpt_engine *e, u64 ip, u32 kind)
{
	const struct softpt_range *r = e->cfg.range;
	unsigned int i;

	for (i = 0; i < e->cfg.nr_ranges; i++, r++)
		if (r->kind == kind && ip >= r->from && ip <= r->to)
			return true;
	return false;
}

bool softpt_in_filter(const struct softpt_engine *e, u64 ip)
{
	return !e->context.filters || covers(e, ip, SOFTPT_RANGE_FILTER);
}

bool softpt_in_stop(const struct softpt_engine *e, u64 ip)
{
	return e->context.ranges && covers(e, ip, SOFTPT_RANGE_STOP);
}

void softpt_context_update(struct softpt_engine *e)
{
	e->context_en = softpt_context_en(e);
	e->packet_en = softpt_on(e) && e->context_en && e->filter_en;
}
