// SPDX-License-Identifier: BSD-2-Clause
#include "changes.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double change_percent(uint64_t before, uint64_t now)
{
	if (!before)
		return now ? INFINITY : 0;
	return 100.0 * ((double)now - (double)before) / (double)before;
}

static int by_name(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order || x->module == y->module)
		return order;
	return strcmp(x->module ? x->module : "", y->module ? y->module : "");
}

static uint64_t weight(const struct change *c)
{
	return c->self[0] > c->self[1] ? c->self[0] - c->self[1] : c->self[1] - c->self[0];
}

static int by_weight(const void *a, const void *b)
{
	const uint64_t x = weight(a), y = weight(b);

	return x == y ? by_name(a, b) : x > y ? -1 : 1;
}

/* A symbol without its version, which another build may not have */
static void name_of(const struct view *v, const struct report_group *g, char *buf)
{
	const char *key = v->by == REPORT_BY_FUNCTION ? report_function_key(g) : NULL;

	if (key)
		snprintf(buf, LABEL_MAX, "%.*s", (int)strcspn(key, "@"), key);
	else
		label_of(v, g, buf);
}

static struct change *gather(const struct report *r, unsigned int side, enum report_by by,
			     struct change *c)
{
	const struct view v = { .report = r, .by = by };
	size_t i;

	for (i = 0; i < report_groups(r); i++) {
		const struct report_group *g = report_group(r, i);

		if (!g->calls && !g->self && !g->total)
			continue;
		name_of(&v, g, c->name);
		label_of(&v, g, c->label);
		c->module = by == REPORT_BY_FUNCTION ? g->module : NULL;
		c->calls[side] = g->calls;
		c->self[side] = g->self;
		c->total[side] = g->total;
		c++;
	}
	return c;
}

static void add(struct change *to, const struct change *c)
{
	unsigned int side;

	for (side = 0; side < 2; side++) {
		to->calls[side] += c->calls[side];
		to->self[side] += c->self[side];
		to->total[side] += c->total[side];
	}
}

/* Return: how many are left */
static size_t merge(struct change *c, size_t n)
{
	size_t i, to = 0;

	for (i = 1; i < n; i++)
		if (by_name(&c[to], &c[i]))
			c[++to] = c[i];
		else
			add(&c[to], &c[i]);
	return n ? to + 1 : 0;
}

static bool is_chosen(const struct change *c, const char *pattern)
{
	return !pattern || !fnmatch(pattern, c->label, 0) || !fnmatch(pattern, c->name, 0);
}

static size_t choose(struct change *c, size_t n, const char *pattern)
{
	size_t i, to = 0;

	for (i = 0; i < n; i++)
		if ((weight(&c[i]) || c[i].calls[0] != c[i].calls[1]) &&
		    is_chosen(&c[i], pattern))
			c[to++] = c[i];
	return to;
}

int changes_find(const struct report *const report[2], enum report_by by, const char *pattern,
		 struct changes *changes)
{
	struct change *c, *end;

	changes->n = 0;
	changes->change = calloc(report_groups(report[0]) + report_groups(report[1]), sizeof(*c));
	c = changes->change;
	if (!c)
		return -ENOMEM;
	end = gather(report[1], 1, by, gather(report[0], 0, by, c));
	qsort(c, end - c, sizeof(*c), by_name);
	changes->n = choose(c, merge(c, end - c), pattern);
	qsort(c, changes->n, sizeof(*c), by_weight);
	return 0;
}

void changes_free(struct changes *changes)
{
	free(changes->change);
}
