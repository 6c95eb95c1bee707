// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/tool.h"
#include "fields.h"
#include "flow/kernel/names.h"
#include "syscalls.h"
#include "table.h"
#include "time.h"

#define BIT(n)	(1u << (n))

static const char *name_of(const struct report_syscall *call)
{
	return kernel_call_name(call->number);
}

/* ---- which, and in what order ---- */

bool syscalls_sort_by(enum view_sort sort)
{
	static const unsigned int keys =
		BIT(VIEW_SORT_SELF) |	/* nobody asked for another one */
		BIT(VIEW_SORT_CALLS) | BIT(VIEW_SORT_TOTAL_TIME) | BIT(VIEW_SORT_KERNEL) |
		BIT(VIEW_SORT_WAIT) | BIT(VIEW_SORT_MEDIAN_TIME) | BIT(VIEW_SORT_MAX_TIME) |
		BIT(VIEW_SORT_NAME);

	return keys & BIT(sort);
}

static bool is_line(const struct view *v, const struct report_syscall *call)
{
	return !v->pattern || (name_of(call) && !fnmatch(v->pattern, name_of(call), 0));
}

bool syscalls_any(const struct view *v)
{
	size_t i;

	for (i = 0; i < report_syscalls_count(v->syscalls); i++)
		if (is_line(v, report_syscall(v->syscalls, i)))
			return true;
	return false;
}

static uint64_t weight(const struct report_syscall *call, enum view_sort sort)
{
	struct report_span kernel;

	switch (sort) {
	case VIEW_SORT_CALLS:
		return call->calls;
	case VIEW_SORT_KERNEL:
		report_syscall_kernel(call, &kernel);
		return kernel.ticks;
	case VIEW_SORT_WAIT:
		return call->wait.ticks;
	case VIEW_SORT_MEDIAN_TIME:
		return spread_median(&call->ticks);
	case VIEW_SORT_MAX_TIME:
		return call->ticks.max;
	case VIEW_SORT_NAME:
		return 0;
	default:
		return call->time.ticks;
	}
}

static int by_name(const struct report_syscall *a, const struct report_syscall *b)
{
	const char *one = name_of(a), *other = name_of(b);
	int order = strcmp(one ? one : "", other ? other : "");

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct report_syscall *x = *(const struct report_syscall *const *)a;
	const struct report_syscall *y = *(const struct report_syscall *const *)b;
	const struct view *v = context;
	const uint64_t one = weight(x, v->sort), other = weight(y, v->sort);

	if (one != other)
		return one > other ? -1 : 1;
	return by_name(x, y);
}

/* Return: how many lines there are */
static size_t gather(const struct view *v, const struct report_syscall **line)
{
	size_t i, n = 0;

	for (i = 0; i < report_syscalls_count(v->syscalls); i++)
		if (is_line(v, report_syscall(v->syscalls, i)))
			line[n++] = report_syscall(v->syscalls, i);
	qsort_r(line, n, sizeof(*line), compare, (void *)v);
	return n;
}

/* ---- text ---- */

static void put_head(struct table *t, const struct view *v)
{
	static const char *const parts[] = { "KERNEL", "±", "WAIT", "±" };
	static const char *const calls[] = {
		"MIN", "±", "MEDIAN", "±", "MAX", "±", "NUMBER", "SYSTEM CALL"
	};
	unsigned int i;

	t->columns = v->kernel ? 15 : 11;
	t->left = BIT(2) | BIT(4) | BIT(6) | BIT(8) | (v->kernel ? BIT(10) | BIT(12) : 0);
	table_put(t, "CALLS");
	table_put(t, "TIME");
	table_put(t, "±");
	for (i = 0; v->kernel && i < sizeof(parts) / sizeof(parts[0]); i++)
		table_put(t, "%s", parts[i]);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		table_put(t, "%s", calls[i]);
}

static void put_parts(struct table *t, const struct view *v, const struct report_syscall *call)
{
	struct report_span kernel;

	report_syscall_kernel(call, &kernel);
	time_put(t, v, &kernel);
	time_put(t, v, &call->wait);
}

/* Of a call that did not come back nothing but the number is known. */
static void put_spread(struct table *t, const struct view *v, const struct report_syscall *call)
{
	unsigned int i;

	for (i = 0; !call->ticks.n && i < 6; i++)
		table_put(t, "%s", i % 2 ? "" : "-");
	if (!call->ticks.n)
		return;
	time_put_bounds(t, v, call->ticks.min, call->low.min, call->high.min);
	time_put_bounds(t, v, spread_median(&call->ticks), spread_median(&call->low),
			spread_median(&call->high));
	time_put_bounds(t, v, call->ticks.max, call->low.max, call->high.max);
}

static void put_name(struct table *t, const struct report_syscall *call)
{
	const char *name = name_of(call);

	if (call->number == REPORT_NO_NUMBER)
		table_put(t, "-");
	else
		table_put(t, "%" PRIu32, call->number);
	table_put(t, "%s", name ? name : "[unknown]");
}

static int print_text(const struct view *v, const struct report_syscall **line, size_t n)
{
	struct table t = { 0 };
	size_t i;
	int err;

	put_head(&t, v);
	for (i = 0; i < n && i < v->limit; i++) {
		table_put(&t, "%" PRIu64, line[i]->calls);
		time_put(&t, v, &line[i]->time);
		if (v->kernel)
			put_parts(&t, v, line[i]);
		put_spread(&t, v, line[i]);
		put_name(&t, line[i]);
	}
	err = table_print(&t);
	if (!err && i < n)
		printf("%s... %zu more (-n 0: all)%s\n", colour(stdout, COLOUR_DIM), n - i,
		       colour(stdout, COLOUR_PLAIN));
	table_free(&t);
	return err;
}

/* ---- csv and json ---- */

static void put_fields(struct fields *f, const struct view *v, const struct report_syscall *call)
{
	const bool known = call->ticks.n;
	struct report_span kernel;

	field_number(f, "number", call->number != REPORT_NO_NUMBER, call->number);
	field_text(f, "syscall", name_of(call));
	field_number(f, "calls", true, call->calls);
	field_span(f, "total", &call->time);
	if (v->kernel) {
		report_syscall_kernel(call, &kernel);
		field_span(f, "kernel", &kernel);
		field_span(f, "wait", &call->wait);
	}
	field_bounds(f, "call_min", known, call->ticks.min, call->low.min, call->high.min);
	field_bounds(f, "call_median", known, spread_median(&call->ticks),
		     spread_median(&call->low), spread_median(&call->high));
	field_bounds(f, "call_max", known, call->ticks.max, call->low.max, call->high.max);
	fields_end(f);
}

static void print_data(const struct view *v, const struct report_syscall **line, size_t n)
{
	static const struct report_syscall none;
	struct fields f = { .form = FIELDS_HEAD };
	size_t i;

	if (v->format == VIEW_CSV)
		put_fields(&f, v, &none);
	f.form = v->format == VIEW_CSV ? FIELDS_CSV : FIELDS_JSON;
	for (i = 0; i < n && i < v->limit; i++)
		put_fields(&f, v, line[i]);
}

int syscalls_print(const struct view *v)
{
	const struct report_syscall **line;
	int err = 0;
	size_t n;

	line = calloc(report_syscalls_count(v->syscalls) + 1, sizeof(*line));
	if (!line)
		return -ENOMEM;
	n = gather(v, line);
	if (v->format == VIEW_TEXT)
		err = print_text(v, line, n);
	else
		print_data(v, line, n);
	free(line);
	return err;
}
