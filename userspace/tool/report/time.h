/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: durations as text */
#ifndef SOFTPT_TOOL_REPORT_TIME_H
#define SOFTPT_TOOL_REPORT_TIME_H

#include <stdint.h>

#include "table.h"
#include "view.h"

/* Two cells: a duration, and how far off it may be. What never happened has none. */
void time_put(struct table *t, const struct view *v, const struct report_span *s);
/* The same, of a duration and its bounds; @max UINT64_MAX: unknown */
void time_put_bounds(struct table *t, const struct view *v, uint64_t ticks, uint64_t min,
		     uint64_t max);

#define TIME_MAX	32

/* Return: @buf, of TIME_MAX bytes: a duration with its unit */
const char *time_text(const struct view *v, uint64_t ticks, char *buf);

#endif /* SOFTPT_TOOL_REPORT_TIME_H */
