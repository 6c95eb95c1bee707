// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "label.h"

static bool is_unknown(const struct view *v, const struct report_group *g)
{
	return g == report_group(v->report, REPORT_UNKNOWN);
}

const char *label_of(const struct view *v, const struct report_group *g, char *buf)
{
	if (is_unknown(v, g))
		snprintf(buf, LABEL_MAX, "[unknown]");
	else if (v->by == REPORT_BY_THREAD)
		snprintf(buf, LABEL_MAX, "%" PRIu32 " %s", g->tid, g->name);
	else if (v->by == REPORT_BY_FUNCTION)
		report_function_name(g, buf);
	else
		snprintf(buf, LABEL_MAX, "%s", g->name);
	return buf;
}
