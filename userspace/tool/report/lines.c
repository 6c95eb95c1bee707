// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "lines.h"

double view_share(const struct view *v, uint64_t instructions)
{
	uint64_t all = report_totals(v->report)->instructions;

	return all ? 100.0 * instructions / all : 0;
}

/* ---- groups ---- */

/* The weight is found once: that of a median takes long. */
struct line {
	const struct report_group *group;
	uint64_t weight;
};

static uint64_t weight(const struct report_group *g, enum view_sort sort)
{
	struct report_span part;

	switch (sort) {
	case VIEW_SORT_TOTAL:
		return g->total;
	case VIEW_SORT_CALLS:
		return g->calls;
	case VIEW_SORT_MEDIAN:
		return spread_median(&g->insns);
	case VIEW_SORT_MAX:
		return g->insns.max;
	case VIEW_SORT_SELF_TIME:
		return g->self_time.ticks;
	case VIEW_SORT_TOTAL_TIME:
		return g->total_time.ticks;
	case VIEW_SORT_UNTRACED:
		return g->parts.untraced.ticks;
	case VIEW_SORT_USER:
		report_parts_user(&g->parts, &g->total_time, &part);
		return part.ticks;
	case VIEW_SORT_KERNEL:
		report_parts_kernel(&g->parts, &part);
		return part.ticks;
	case VIEW_SORT_WAIT:
		return g->parts.wait.ticks;
	case VIEW_SORT_MEDIAN_TIME:
		return spread_median(&g->ticks);
	case VIEW_SORT_MAX_TIME:
		return g->ticks.max;
	case VIEW_SORT_NAME:
		return 0;
	default:
		return g->self;
	}
}

static int by_name(const struct view *v, const struct report_group *a,
		   const struct report_group *b)
{
	char one[LABEL_MAX], other[LABEL_MAX];
	int order = strcmp(label_of(v, a, one), label_of(v, b, other));

	return order ? order : (a > b) - (a < b);
}

/* What has equal weight is in the order of names: the same each time. */
static int compare(const void *a, const void *b, void *context)
{
	const struct line *x = a, *y = b;

	if (x->weight == y->weight)
		return by_name(context, x->group, y->group);
	return x->weight > y->weight ? -1 : 1;
}

bool lines_match(const struct view *v, const struct report_group *g)
{
	char label[LABEL_MAX];

	if (!v->pattern)
		return true;
	if (g->name && !fnmatch(v->pattern, g->name, 0))
		return true;
	return !fnmatch(v->pattern, label_of(v, g, label), 0);
}

static bool ran(const struct report_group *g)
{
	return g->calls || g->incomplete || g->self;
}

bool lines_any(const struct view *v)
{
	size_t i;

	for (i = 0; i < report_groups(v->report); i++)
		if (ran(report_group(v->report, i)) && lines_match(v, report_group(v->report, i)))
			return true;
	return false;
}

static bool is_line(const struct view *v, const struct report_group *g)
{
	if (!ran(g))
		return false;
	if (view_share(v, g->total > g->self ? g->total : g->self) < v->percent)
		return false;
	return lines_match(v, g);
}

static size_t gather(const struct view *v, struct line *line)
{
	size_t i, n = 0;

	for (i = 0; i < report_groups(v->report); i++) {
		const struct report_group *g = report_group(v->report, i);

		if (is_line(v, g))
			line[n++] = (struct line){ .group = g, .weight = weight(g, v->sort) };
	}
	qsort_r(line, n, sizeof(*line), compare, (void *)v);
	return n;
}

static void take(const struct view *v, struct lines *lines, const struct line *line, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (i < v->limit) {
			lines->group[lines->n++] = line[i].group;
		} else {
			lines->left++;
			lines->left_self += line[i].group->self;
		}
}

int lines_choose(const struct view *v, struct lines *lines)
{
	const size_t groups = report_groups(v->report);
	struct line *line = calloc(groups, sizeof(*line));

	*lines = (struct lines){ .group = calloc(groups, sizeof(*lines->group)) };
	if (line && lines->group)
		take(v, lines, line, gather(v, line));
	free(line);
	return line && lines->group ? 0 : -ENOMEM;
}

void lines_free(struct lines *lines)
{
	free(lines->group);
}

/* ---- links ---- */

struct order {
	const struct view *view;
	bool by_callee;
};

static uint32_t key_of(const struct report_link *link, bool by_callee)
{
	return by_callee ? link->group : link->from;
}

static int compare_links(const void *a, const void *b, void *context)
{
	const struct report_link *x = *(const struct report_link *const *)a;
	const struct report_link *y = *(const struct report_link *const *)b;
	const struct order *o = context;
	uint32_t first = key_of(x, o->by_callee), second = key_of(y, o->by_callee);

	if (first != second)
		return first < second ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x > y) - (x < y);
}

int links_sort(const struct view *v, bool by_callee, struct links *links)
{
	struct order order = { .view = v, .by_callee = by_callee };
	size_t i;

	links->n = report_links(v->report);
	links->link = calloc(links->n + 1, sizeof(*links->link));
	if (!links->link)
		return -ENOMEM;
	for (i = 0; i < links->n; i++)
		links->link[i] = report_link(v->report, i);
	qsort_r(links->link, links->n, sizeof(*links->link), compare_links, &order);
	return 0;
}

size_t links_of(const struct links *links, bool by_callee, uint32_t key, size_t *end)
{
	size_t low = 0, high = links->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (key_of(links->link[mid], by_callee) < key)
			low = mid + 1;
		else
			high = mid;
	}
	for (*end = low; *end < links->n && key_of(links->link[*end], by_callee) == key;)
		++*end;
	return low;
}

void links_done(struct links *links)
{
	free(links->link);
}
