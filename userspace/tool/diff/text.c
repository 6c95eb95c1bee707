// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../cli/tool.h"
#include "../report/table.h"
#include "print.h"

static void dim(const char *text)
{
	printf("%s%s%s\n", colour(stdout, COLOUR_DIM), text, colour(stdout, COLOUR_PLAIN));
}

/* ---- costs ---- */

/* Three cells: before, now, and the difference with its sign */
static void put_counts(struct table *t, const uint64_t counts[2])
{
	table_put(t, "%" PRIu64, counts[0]);
	table_put(t, "%" PRIu64, counts[1]);
	if (counts[0] == counts[1])
		table_put(t, "-");
	else
		table_put(t, "%+" PRId64, (int64_t)(counts[1] - counts[0]));
}

static void put_percent(struct table *t, const uint64_t counts[2])
{
	const double percent = change_percent(counts[0], counts[1]);

	if (isinf(percent))
		table_put(t, "new");
	else
		table_put(t, "%+.1f", percent);
}

static void put_line(struct table *t, const struct change *c)
{
	put_counts(t, c->self);
	put_percent(t, c->self);
	put_counts(t, c->calls);
	table_put(t, "%s%s%s%s", c->label, c->module ? "  (" : "", c->module ? c->module : "",
		  c->module ? ")" : "");
}

static void put_head(struct table *t, enum report_by by)
{
	static const char *const whats[] = { "FUNCTION", "THREAD", "MODULE", "FILE" };
	static const char *const names[] = {
		"SELF A", "SELF B", "CHANGE", "%", "CALLS A", "CALLS B", "CHANGE"
	};
	size_t i;

	t->columns = sizeof(names) / sizeof(names[0]) + 1;
	for (i = 0; i + 1 < t->columns; i++)
		table_put(t, "%s", names[i]);
	table_put(t, "%s", whats[by]);
}

static int print_changes(const struct diff_view *v)
{
	struct table t = { 0 };
	size_t i;
	int err;

	if (!v->changes->n)
		return 0;
	put_head(&t, v->side->by);
	for (i = 0; i < v->changes->n && i < v->limit; i++)
		put_line(&t, &v->changes->change[i]);
	err = table_print(&t);
	table_free(&t);
	if (v->changes->n > v->limit)
		printf("%s... %zu more (-n 0: all)%s\n", colour(stdout, COLOUR_DIM),
		       v->changes->n - (size_t)v->limit, colour(stdout, COLOUR_PLAIN));
	return err;
}

static void print_total(const char *name, uint64_t a, uint64_t b)
{
	printf("%s# %s %" PRIu64, colour(stdout, COLOUR_DIM), name, a);
	if (a == b)
		printf(", the same");
	else if (a)
		printf(", then %" PRIu64 " (%+.3f %%)", b, change_percent(a, b));
	else
		printf(", then %" PRIu64, b);
	printf("%s\n", colour(stdout, COLOUR_PLAIN));
}

static void print_totals(const struct diff_view *v)
{
	const struct report_totals *a = report_totals(v->side[0].report);
	const struct report_totals *b = report_totals(v->side[1].report);

	print_total("instructions", a->instructions, b->instructions);
	print_total("calls", a->calls, b->calls);
	print_total("threads", a->threads, b->threads);
}

/* ---- paths ---- */

/* Names came with the input: they must not command the terminal. */
static void print_name(const char *name)
{
	print_plain(stdout, name, SIZE_MAX);
}

static void print_place(const struct diff_place *p, bool exact)
{
	const char *source = p->source ? strrchr(p->source, '/') : NULL;

	if (p->function)
		print_name(p->label);
	else
		print_name(p->module ? p->module : "[unknown]");
	if (exact || !p->function)
		printf("+0x%" PRIx64, p->offset);
	if (!exact || !p->source)
		return;
	fputs(" (", stdout);
	print_name(source ? source + 1 : p->source);
	printf(":%d)", p->line);
}

static void print_end(char name, const struct diff_end *e)
{
	printf("  %c     ", name);
	if (e->ended)
		fputs("nothing more", stdout);
	else
		printf("%" PRIu64 " instructions, then %s%s ", e->instructions,
		       softpt_flow_event_name(e->event),
		       e->event == SOFTPT_FLOW_RETURN ? " of" : "");
	if (!e->ended)
		print_place(&e->to, false);
	putchar('\n');
	if (!e->branched)
		return;
	fputs("        first other branch ", stdout);
	print_place(&e->from, true);
	fputs(" -> ", stdout);
	print_place(&e->target, true);
	putchar('\n');
}

static void print_part(const struct diff_view *v, const struct diff_part *part)
{
	const struct step_thread *a = &v->side[0].steps.thread[v->side[0].order[part->thread]];
	const struct step_thread *b = &v->side[1].steps.thread[v->side[1].order[part->thread]];
	size_t i;

	printf("\nThread %" PRIu32 " of A, %" PRIu32 " of B (", a->tid, b->tid);
	print_name(a->comm);
	printf("): the same for %" PRIu64 " calls and returns, then\n", part->steps);
	if (part->depth)
		fputs("  in    ", stdout);
	for (i = 0; i < part->depth; i++) {
		print_place(&part->stack[i], false);
		fputs(i + 1 < part->depth ? " > " : "\n", stdout);
	}
	print_end('A', &part->end[0]);
	print_end('B', &part->end[1]);
}

int diff_text(const struct diff_view *v)
{
	size_t i;
	int err;

	print_totals(v);
	err = print_changes(v);
	for (i = 0; i < v->parts->n && i < v->limit; i++)
		print_part(v, &v->parts->part[i]);
	if (v->parts->n > v->limit)
		printf("... %zu more threads (-n 0: all)\n", v->parts->n - (size_t)v->limit);
	if (!v->changes->n && !v->parts->n)
		dim("# no difference");
	return err;
}
