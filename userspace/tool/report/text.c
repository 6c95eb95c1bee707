// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../cli/tool.h"
#include "label.h"
#include "lines.h"
#include "table.h"
#include "text.h"
#include "time.h"
#include "tree.h"

#define BIT(n)	(1u << (n))

static void put_count(struct table *t, uint64_t n)
{
	table_put(t, "%" PRIu64, n);
}

static void put_head(struct table *t, const struct view *v, const char *const *names)
{
	static const char *const whats[] = { "FUNCTION", "THREAD", "MODULE", "FILE" };

	unsigned int i;

	for (i = 0; i + 1 < t->columns; i++)
		table_put(t, "%s", names[i]);
	table_put(t, "%s", whats[v->by]);
}

static void put_name(struct table *t, const struct view *v, const char *before,
		     const struct report_group *g)
{
	char label[LABEL_MAX];

	char line[LABEL_MAX] = "";

	label_of(v, g, label);
	if (g->source)
		snprintf(line, sizeof(line), "  %s:%d", basename(g->source), g->line);
	if (v->by == REPORT_BY_FUNCTION && g->name && g->module)
		table_put(t, "%s%s  (%s)%s", before, label, g->module, line);
	else
		table_put(t, "%s%s%s", before, label, line);
}

/* ---- a line for each group ---- */

static void flat_head(struct table *t, const struct view *v)
{
	static const char *const names[] = {
		"SELF", "%", "TOTAL", "CALLS", "SELF TIME", "±", "TOTAL TIME", "±", "UNTRACED", "±",
		NULL
	};

	t->columns = 11;
	t->left = BIT(5) | BIT(7) | BIT(9);
	put_head(t, v, names);
}

/* Where the recording tells it, what UNTRACED has and more */
static void parts_head(struct table *t, const struct view *v)
{
	static const char *const names[] = {
		"SELF", "%", "TOTAL", "CALLS", "SELF TIME", "±", "TOTAL TIME", "±", "USER", "±",
		"KERNEL", "±", "WAIT", "±"
	};

	t->columns = 15;
	t->left = BIT(5) | BIT(7) | BIT(9) | BIT(11) | BIT(13);
	put_head(t, v, names);
}

static void put_parts(struct table *t, const struct view *v, const struct report_group *g)
{
	struct report_span part;

	report_parts_user(&g->parts, &g->total_time, &part);
	time_put(t, v, &part);
	report_parts_kernel(&g->parts, &part);
	time_put(t, v, &part);
	time_put(t, v, &g->parts.wait);
}

static void flat_line(struct table *t, const struct view *v, const struct report_group *g)
{
	put_count(t, g->self);
	table_put(t, "%.1f", view_share(v, g->self));
	put_count(t, g->total);
	put_count(t, g->calls);
	time_put(t, v, &g->self_time);
	time_put(t, v, &g->total_time);
	if (v->kernel)
		put_parts(t, v, g);
	else
		time_put(t, v, &g->parts.untraced);
	put_name(t, v, "", g);
}

static void calls_head(struct table *t, const struct view *v)
{
	static const char *const names[] = {
		"CALLS", "CUT", "MIN", "MEDIAN", "MAX", "MIN TIME", "±", "MEDIAN TIME", "±",
		"MAX TIME", "±"
	};

	t->columns = 12;
	t->left = BIT(6) | BIT(8) | BIT(10);
	put_head(t, v, names);
}

static void put_none(struct table *t, unsigned int cells)
{
	unsigned int i;

	for (i = 0; i < cells; i++)
		table_put(t, "%s", i < 3 || i % 2 ? "-" : "");
}

static void calls_line(struct table *t, const struct view *v, const struct report_group *g)
{
	put_count(t, g->calls);
	put_count(t, g->incomplete);
	if (g->ticks.n) {
		put_count(t, g->insns.min);
		put_count(t, spread_median(&g->insns));
		put_count(t, g->insns.max);
		time_put_bounds(t, v, g->ticks.min, g->low.min, g->high.min);
		time_put_bounds(t, v, spread_median(&g->ticks), spread_median(&g->low),
				spread_median(&g->high));
		time_put_bounds(t, v, g->ticks.max, g->low.max, g->high.max);
	} else {
		put_none(t, 9);
	}
	put_name(t, v, "", g);
}

static void put_rest(const struct view *v, const struct lines *lines)
{
	static const char *const whats[] = { "functions", "threads", "modules", "files" };

	if (lines->left)
		printf("%s... %zu more %s, %.1f %% of the instructions (-n 0: all)%s\n",
		       colour(stdout, COLOUR_DIM), lines->left, whats[v->by],
		       view_share(v, lines->left_self), colour(stdout, COLOUR_PLAIN));
}

static void put_flat_head(struct table *t, const struct view *v)
{
	if (v->per_call)
		calls_head(t, v);
	else if (v->kernel)
		parts_head(t, v);
	else
		flat_head(t, v);
}

static int print_flat(const struct view *v)
{
	struct table t = { 0 };
	struct lines lines;
	size_t i;
	int err = lines_choose(v, &lines);

	put_flat_head(&t, v);
	for (i = 0; !err && i < lines.n; i++)
		(v->per_call ? calls_line : flat_line)(&t, v, lines.group[i]);
	if (!err)
		err = table_print(&t);
	if (!err)
		put_rest(v, &lines);
	table_free(&t);
	lines_free(&lines);
	return err;
}

/* ---- callers and callees ---- */

static void put_time_and_wait(struct table *t, const struct view *v,
			      const struct report_span *time, const struct report_span *wait)
{
	time_put(t, v, time);
	if (v->kernel)
		time_put(t, v, wait);
}

static void link_head(struct table *t, const struct view *v)
{
	static const char *const names[] = {
		"TOTAL", "%", "CALLS", "TOTAL TIME", "±", "WAIT", "±"
	};

	t->columns = v->kernel ? 8 : 6;
	t->left = BIT(4) | BIT(6);
	put_head(t, v, names);
}

static void link_line(struct table *t, const struct view *v, const struct report_link *link)
{
	const bool callers = v->what == VIEW_CALLERS;
	uint32_t other = callers ? link->from : link->group;

	put_count(t, link->total);
	table_put(t, "%.1f", view_share(v, link->total));
	put_count(t, link->calls);
	put_time_and_wait(t, v, &link->time, &link->wait);
	if (other == REPORT_ROOT)
		table_put(t, "  < [nobody]");
	else
		put_name(t, v, callers ? "  < " : "  > ", report_group(v->report, other));
}

static void group_line(struct table *t, const struct view *v, const struct report_group *g)
{
	put_count(t, g->total);
	table_put(t, "%.1f", view_share(v, g->total));
	put_count(t, g->calls);
	put_time_and_wait(t, v, &g->total_time, &g->parts.wait);
	put_name(t, v, "", g);
}

static void put_links(struct table *t, const struct view *v, const struct lines *lines,
		      const struct links *links)
{
	const bool callers = v->what == VIEW_CALLERS;
	size_t i, k, end;

	for (i = 0; i < lines->n; i++) {
		group_line(t, v, lines->group[i]);
		k = links_of(links, callers, lines->group[i] - report_group(v->report, 0), &end);
		for (; k < end; k++)
			link_line(t, v, links->link[k]);
	}
}

static int print_links(const struct view *v)
{
	struct links links = { 0 };
	struct table t = { 0 };
	struct lines lines;
	int err = lines_choose(v, &lines);

	if (!err)
		err = links_sort(v, v->what == VIEW_CALLERS, &links);
	link_head(&t, v);
	if (!err)
		put_links(&t, v, &lines, &links);
	if (!err)
		err = table_print(&t);
	if (!err)
		put_rest(v, &lines);
	table_free(&t);
	links_done(&links);
	lines_free(&lines);
	return err;
}

/* ---- the tree ---- */

struct text_tree {
	const struct view *view;
	struct table table;
};

static void tree_head(struct table *t, const struct view *v)
{
	static const char *const names[] = {
		"TOTAL", "%", "SELF", "CALLS", "TOTAL TIME", "±", "WAIT", "±"
	};

	t->columns = v->kernel ? 9 : 7;
	t->left = BIT(5) | BIT(7);
	put_head(t, v, names);
}

#define INDENT_MAX	40

static void tree_line(void *context, const struct tree_node *node)
{
	struct text_tree *tree = context;
	const struct report_link *link = node->link;
	char before[2 * INDENT_MAX + 1];
	struct table *t = &tree->table;

	snprintf(before, sizeof(before), "%*s",
		 2 * (node->depth < INDENT_MAX ? (int)node->depth : INDENT_MAX), "");
	put_count(t, link->total);
	table_put(t, "%.1f", view_share(tree->view, link->total));
	put_count(t, link->self);
	put_count(t, link->calls);
	put_time_and_wait(t, tree->view, &link->time, &link->wait);
	put_name(t, tree->view, before, report_group(tree->view->report, link->group));
}

static void tree_rest(const struct view *v, const struct tree_rest *rest)
{
	if (rest->nodes)
		printf("%s... %zu more lines below %g %% or behind the limit (-p 0 -n 0: all)%s\n",
		       colour(stdout, COLOUR_DIM), rest->nodes, v->percent,
		       colour(stdout, COLOUR_PLAIN));
}

static int print_tree(const struct view *v)
{
	struct text_tree tree = { .view = v };
	struct tree_rest rest;
	int err;

	tree_head(&tree.table, v);
	err = tree_walk(v, tree_line, &tree, &rest);
	if (!err)
		err = table_print(&tree.table);
	if (!err)
		tree_rest(v, &rest);
	table_free(&tree.table);
	return err;
}

/* ---- what all lines have in common ---- */

static void put_sum(const struct view *v, const char *name, const struct report_span *s)
{
	uint64_t before = s->ticks - s->min, behind = s->max - s->ticks;
	char text[TIME_MAX], bound[TIME_MAX];

	if (!s->ticks && !s->max && !s->unbounded)
		return;
	printf(", %s %s%s ±%s", name, time_text(v, s->ticks, text), v->ns > 0 ? "" : " ticks",
	       s->unbounded ? "?" : time_text(v, before > behind ? before : behind, bound));
}

static void put_totals(const struct view *v)
{
	const struct report_totals *t = report_totals(v->report);

	printf("%s# instructions %" PRIu64 ", calls %" PRIu64 " (incomplete %" PRIu64 "), threads %"
	       PRIu64, colour(stdout, COLOUR_DIM), t->instructions, t->calls, t->incomplete,
	       t->threads);
	put_sum(v, "traced", &t->traced);
	put_sum(v, "untraced", &t->parts.untraced);
	put_sum(v, "waiting", &t->parts.wait);
	put_sum(v, "lost", &t->parts.lost);
	if (t->deep)
		printf(", calls too deep to be told apart %" PRIu64, t->deep);
	printf("%s\n", colour(stdout, COLOUR_PLAIN));
}

int text_print(const struct view *v)
{
	put_totals(v);
	switch (v->what) {
	case VIEW_TREE:
		return print_tree(v);
	case VIEW_CALLERS:
	case VIEW_CALLEES:
		return print_links(v);
	default:
		return print_flat(v);
	}
}
