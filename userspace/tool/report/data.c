// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "data.h"
#include "fields.h"
#include "lines.h"
#include "tree.h"

#define KEY_MAX	64

/* ---- whose row it is ---- */

static const char *key_of(char *buf, const char *before, const char *key)
{
	snprintf(buf, KEY_MAX, "%s%s", before, key);
	return buf;
}

static void put_function(struct fields *f, const struct view *v, const char *before,
			 const struct report_group *g)
{
	char key[KEY_MAX];

	field_text(f, key_of(key, before, "function"), g ? g->name : NULL);
	field_text(f, key_of(key, before, "demangled"), g ? g->label : NULL);
	field_text(f, key_of(key, before, "module"), g ? g->module : NULL);
	field_hex(f, key_of(key, before, "address"), g && g->address, g ? g->address : 0);
	if (!v->lines)
		return;
	field_text(f, key_of(key, before, "file"), g ? g->source : NULL);
	field_number(f, key_of(key, before, "line"), g && g->source, g ? g->line : 0);
}

static void put_thread(struct fields *f, const char *before, const struct report_group *g)
{
	char key[KEY_MAX];

	field_number(f, key_of(key, before, "pid"), g && g->name, g ? g->pid : 0);
	field_number(f, key_of(key, before, "tid"), g && g->name, g ? g->tid : 0);
	field_text(f, key_of(key, before, "comm"), g ? g->name : NULL);
}

/* @before: of the keys; @g may be NULL */
static void put_group(struct fields *f, const struct view *v, const char *before,
		      const struct report_group *g)
{
	char key[KEY_MAX];

	switch (v->by) {
	case REPORT_BY_FUNCTION:
		put_function(f, v, before, g);
		return;
	case REPORT_BY_THREAD:
		put_thread(f, before, g);
		return;
	case REPORT_BY_MODULE:
		field_text(f, key_of(key, before, "module"), g ? g->name : NULL);
		return;
	default:
		field_text(f, key_of(key, before, "file"), g ? g->name : NULL);
	}
}

/* ---- what it cost ---- */

static void put_parts(struct fields *f, const struct report_group *g)
{
	struct report_span part;

	report_parts_user(&g->parts, &g->total_time, &part);
	field_span(f, "user", &part);
	report_parts_kernel(&g->parts, &part);
	field_span(f, "kernel", &part);
	field_span(f, "wait", &g->parts.wait);
}

static void put_calls(struct fields *f, const struct report_group *g)
{
	const bool known = g->insns.n;

	field_number(f, "call_instructions_min", known, g->insns.min);
	field_number(f, "call_instructions_median", known, spread_median(&g->insns));
	field_number(f, "call_instructions_max", known, g->insns.max);
	field_bounds(f, "call_min", known, g->ticks.min, g->low.min, g->high.min);
	field_bounds(f, "call_median", known, spread_median(&g->ticks), spread_median(&g->low),
		     spread_median(&g->high));
	field_bounds(f, "call_max", known, g->ticks.max, g->low.max, g->high.max);
}

static void put_line(struct fields *f, const struct view *v, const struct report_group *g)
{
	put_group(f, v, "", g);
	field_number(f, "calls", true, g->calls);
	field_number(f, "incomplete", true, g->incomplete);
	field_number(f, "instructions", true, g->self);
	field_number(f, "instructions_total", true, g->total);
	field_span(f, "self", &g->self_time);
	field_span(f, "total", &g->total_time);
	field_span(f, "untraced", &g->parts.untraced);
	field_span(f, "lost", &g->parts.lost);
	if (v->kernel)
		put_parts(f, g);
	put_calls(f, g);
	fields_end(f);
}

static void put_link_time(struct fields *f, const struct view *v, const struct report_link *link)
{
	field_span(f, "total", &link->time);
	if (v->kernel)
		field_span(f, "wait", &link->wait);
}

static void put_link(struct fields *f, const struct view *v, const struct report_link *link)
{
	const struct report_group *from = link->from == REPORT_ROOT ? NULL :
					  report_group(v->report, link->from);

	put_group(f, v, "caller_", from);
	put_group(f, v, "", report_group(v->report, link->group));
	field_number(f, "calls", true, link->calls);
	field_number(f, "instructions_total", true, link->total);
	put_link_time(f, v, link);
	fields_end(f);
}

static void put_node(struct fields *f, const struct view *v, const struct tree_node *node)
{
	const struct report_link *link = node->link;

	field_number(f, "node", true, node->node);
	field_number(f, "parent", node->parent, node->parent);
	field_number(f, "depth", true, node->depth);
	put_group(f, v, "", report_group(v->report, link->group));
	field_number(f, "calls", true, link->calls);
	field_number(f, "instructions", true, link->self);
	field_number(f, "instructions_total", true, link->total);
	put_link_time(f, v, link);
	fields_end(f);
}

/* ---- all rows ---- */

static int print_flat(const struct view *v, struct fields *f)
{
	struct lines lines;
	size_t i;
	int err = lines_choose(v, &lines);

	for (i = 0; !err && i < lines.n; i++)
		put_line(f, v, lines.group[i]);
	lines_free(&lines);
	return err;
}

static void put_links(struct fields *f, const struct view *v, const struct lines *lines,
		      const struct links *links)
{
	const bool callers = v->what == VIEW_CALLERS;
	size_t i, k, end;

	for (i = 0; i < lines->n; i++) {
		k = links_of(links, callers, lines->group[i] - report_group(v->report, 0), &end);
		for (; k < end; k++)
			put_link(f, v, links->link[k]);
	}
}

static int print_links(const struct view *v, struct fields *f)
{
	struct links links = { 0 };
	struct lines lines;
	int err = lines_choose(v, &lines);

	if (!err)
		err = links_sort(v, v->what == VIEW_CALLERS, &links);
	if (!err)
		put_links(f, v, &lines, &links);
	links_done(&links);
	lines_free(&lines);
	return err;
}

struct data_tree {
	const struct view *view;
	struct fields *fields;
};

static void print_node(void *context, const struct tree_node *node)
{
	const struct data_tree *tree = context;

	put_node(tree->fields, tree->view, node);
}

static void put_head(struct fields *f, const struct view *v)
{
	static const struct report_group nobody;
	static const struct report_link nothing = { .from = REPORT_ROOT };

	f->form = FIELDS_HEAD;
	if (v->what == VIEW_FLAT)
		put_line(f, v, &nobody);
	else if (v->what == VIEW_TREE)
		put_node(f, v, &(struct tree_node){ .link = &nothing });
	else
		put_link(f, v, &nothing);
	f->form = FIELDS_CSV;
}

int data_print(const struct view *v)
{
	struct fields f = { .form = FIELDS_JSON };
	struct data_tree tree = { .view = v, .fields = &f };
	struct tree_rest rest;

	if (v->format == VIEW_CSV)
		put_head(&f, v);
	switch (v->what) {
	case VIEW_FLAT:
		return print_flat(v, &f);
	case VIEW_TREE:
		return tree_walk(v, print_node, &tree, &rest);
	default:
		return print_links(v, &f);
	}
}
