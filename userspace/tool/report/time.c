// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "time.h"

static void put_unit(char *buf, double ns, int digits)
{
	static const char *const units[] = { "us", "ms", "s" };
	unsigned int i = 0;

	if (ns < 1e3) {
		snprintf(buf, TIME_MAX, "%.0fns", ns);
		return;
	}
	for (ns /= 1e3; ns >= 999.95 && i < 2; i++)
		ns /= 1e3;
	if (ns >= 1e3)
		snprintf(buf, TIME_MAX, "%.0f%s", ns, units[i]);
	else
		snprintf(buf, TIME_MAX, "%.*g%s", digits, ns, units[i]);
}

static const char *put(const struct view *v, uint64_t ticks, int digits, char *buf)
{
	if (v->ns > 0)
		put_unit(buf, v->ns * ticks, digits);
	else
		snprintf(buf, TIME_MAX, "%" PRIu64, ticks);
	return buf;
}

const char *time_text(const struct view *v, uint64_t ticks, char *buf)
{
	return put(v, ticks, 4, buf);
}

void time_put_bounds(struct table *t, const struct view *v, uint64_t ticks, uint64_t min,
		     uint64_t max)
{
	uint64_t before = ticks - min, behind = max - ticks;
	char buf[TIME_MAX];

	table_put(t, "%s", time_text(v, ticks, buf));
	if (max == UINT64_MAX)
		table_put(t, "±?");
	else
		table_put(t, "±%s", put(v, before > behind ? before : behind, 3, buf));
}

void time_put(struct table *t, const struct view *v, const struct report_span *s)
{
	if (s->ticks || s->max || s->unbounded) {
		time_put_bounds(t, v, s->ticks, s->min, s->unbounded ? UINT64_MAX : s->max);
		return;
	}
	table_put(t, "-");
	table_put(t, "%s", "");
}
