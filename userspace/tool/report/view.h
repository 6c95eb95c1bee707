/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: what of a report is printed, and how */
#ifndef SOFTPT_TOOL_REPORT_VIEW_H
#define SOFTPT_TOOL_REPORT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report.h"
#include "report/syscalls.h"

enum view_what {
	VIEW_FLAT,
	VIEW_CALLERS,
	VIEW_CALLEES,
	VIEW_TREE,
	VIEW_SYSCALLS,
};

enum view_format {
	VIEW_TEXT,
	VIEW_CSV,
	VIEW_JSON,
};

/* What lines are sorted by: the name of --sort */
#define VIEW_SORTS(X) \
	X(SELF, "self") \
	X(TOTAL, "total") \
	X(CALLS, "calls") \
	X(MEDIAN, "median") \
	X(MAX, "max") \
	X(SELF_TIME, "self-time") \
	X(TOTAL_TIME, "total-time") \
	X(UNTRACED, "untraced") \
	X(USER, "user") \
	X(KERNEL, "kernel") \
	X(WAIT, "wait") \
	X(MEDIAN_TIME, "median-time") \
	X(MAX_TIME, "max-time") \
	X(NAME, "name")

enum view_sort {
#define X(id, name) VIEW_SORT_##id,
	VIEW_SORTS(X)
#undef X
	VIEW_SORT_NR
};

/**
 * struct view - what is printed, and how
 * @report: where it comes from
 * @syscalls: of VIEW_SYSCALLS: the same
 * @by: what its lines are of
 * @what: of them
 * @format: of the output
 * @sort: by what
 * @kernel: the recording tells what the kernel did: when threads had a CPU
 * @lines: functions have a line of source
 * @per_call: of text: what single calls cost
 * @pattern: names of lines as fnmatch() has them, NULL: all
 * @limit: lines at most
 * @percent: lines below that share of all instructions are left out
 * @ns: nanoseconds of a TSC tick, 0: unknown
 */
struct view {
	const struct report *report;
	const struct report_syscalls *syscalls;
	enum report_by by;
	enum view_what what;
	enum view_format format;
	enum view_sort sort;
	bool kernel;
	bool lines;
	bool per_call;
	const char *pattern;
	uint64_t limit;
	double percent;
	double ns;
};

/* Whether lines are sorted by what only a recording with the kernel tells */
static inline bool view_sorts_kernel(const struct view *v)
{
	return v->sort == VIEW_SORT_USER || v->sort == VIEW_SORT_KERNEL ||
	       v->sort == VIEW_SORT_WAIT;
}

/* Share of all instructions, in percent */
double view_share(const struct view *v, uint64_t instructions);

#endif /* SOFTPT_TOOL_REPORT_VIEW_H */
