// SPDX-License-Identifier: BSD-2-Clause
/* Functions of the chart and of the report -> each once, with its code */
#include "functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../annotate/view.h"
#include "json.h"
#include "report/index.h"

/* A function of the chart or the report; of one without code @function is all zero */
struct entry {
	const struct report_group *group;
	struct coverage_function function;
	uint32_t number;
};

struct entries {
	struct entry *entry;
	struct entry **sorted;
	uint32_t n;
	struct report_index by_place;	/* hash of the path, address: to @entry */
};

/* ---- each once ---- */

/* Return: its number, INDEX_NEW: it is in no file; or -ENOMEM */
static int add_group(struct entries *e, const struct report_group *group, uint32_t *number)
{
	uint32_t *found;

	*number = INDEX_NEW;
	if (!group->path)
		return 0;
	found = index_at(&e->by_place, index_hash(group->path), group->address);
	if (!found)
		return -ENOMEM;
	if (*found == INDEX_NEW) {
		*found = e->n++;
		e->entry[*found].group = group;
	}
	if (!strcmp(e->entry[*found].group->path, group->path))
		*number = *found;
	return 0;
}

static int add_groups(struct entries *e, struct page_functions *f,
		      const struct report_groups *calls, const struct report *report)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < f->calls && !err; i++)
		err = add_group(e, &calls->group[i], &f->of_call[i]);
	for (i = 0; i < f->costs && !err; i++)
		err = add_group(e, report_group(report, i), &f->of_cost[i]);
	return err;
}

/* ---- their code ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_place(const struct entry *e, const char *path, uint64_t address)
{
	const int order = strcmp(e->group->path, path);

	return order ? order : compare(e->group->address, address);
}

static int by_place(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return compare_place(*x, (*y)->group->path, (*y)->group->address);
}

static uint32_t first_from(const struct entries *e, const char *path, uint64_t address)
{
	uint32_t low = 0, high = e->n;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (compare_place(e->sorted[mid], path, address) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void take_piece(struct entry *e, const struct coverage_function *c, uint64_t to)
{
	struct coverage_function *f = &e->function;
	struct coverage_insn insn;
	uint64_t at;

	*f = *c;
	f->at.from = e->group->address;
	f->at.to = to;
	f->instructions = 0;
	f->entered = coverage_times(f->file, f->at.from);
	for (at = f->at.from; annotate_next(f, at, &insn); at = insn.addr + insn.size)
		f->instructions += insn.times;
}

/* All code between two symbols is one function of the coverage: here it ends at the next entry. */
static void take_function(const struct entries *e, const struct coverage_function *c)
{
	const char *path = source_path(coverage_symbols(c->file));
	uint32_t i = first_from(e, path, c->at.from);
	bool more;

	for (; i < e->n && compare_place(e->sorted[i], path, c->at.to) < 0; i++) {
		const struct report_group *g = e->sorted[i]->group;

		more = i + 1 < e->n && compare_place(e->sorted[i + 1], path, c->at.to) < 0;
		if (!c->at.name && !g->name)
			take_piece(e->sorted[i], c,
				   more ? e->sorted[i + 1]->group->address : c->at.to);
		else if (c->at.name && g->name && g->address == c->at.from &&
			 !strcmp(c->at.name, g->name))
			e->sorted[i]->function = *c;
	}
}

/* ---- in order ---- */

static int by_instructions(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;
	const int order = compare((*y)->function.instructions, (*x)->function.instructions);

	return order ? order : by_place(a, b);
}

static void renumber(const struct entries *e, uint32_t *of, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		of[i] = of[i] == INDEX_NEW ? INDEX_NEW : e->entry[of[i]].number;
}

static void keep(struct page_functions *f, const struct entries *e)
{
	uint32_t i;

	qsort(e->sorted, e->n, sizeof(struct entry *), by_instructions);
	for (i = 0; i < e->n; i++) {
		if (e->sorted[i]->function.instructions) {
			f->function[f->n] = e->sorted[i]->function;
			e->sorted[i]->number = f->n++;
		} else {
			e->sorted[i]->number = INDEX_NEW;
		}
	}
	renumber(e, f->of_call, f->calls);
	renumber(e, f->of_cost, f->costs);
}

static int find(struct page_functions *f, struct entries *e, const struct coverage *c)
{
	size_t i;

	e->sorted = calloc(e->n + 1, sizeof(struct entry *));
	f->function = calloc(e->n + 1, sizeof(*f->function));
	if (!e->sorted || !f->function)
		return -ENOMEM;
	for (i = 0; i < e->n; i++)
		e->sorted[i] = &e->entry[i];
	qsort(e->sorted, e->n, sizeof(struct entry *), by_place);
	for (i = 0; i < coverage_functions(c); i++)
		take_function(e, coverage_function(c, i));
	keep(f, e);
	return 0;
}

int page_functions_find(struct page_functions *f, const struct coverage *c,
			const struct report_groups *calls, const struct report *report)
{
	struct entries e = { 0 };
	int err;

	*f = (struct page_functions){ .calls = calls->n, .costs = report_groups(report) };
	f->of_call = calloc(f->calls + 1, sizeof(*f->of_call));
	f->of_cost = calloc(f->costs + 1, sizeof(*f->of_cost));
	e.entry = calloc((size_t)f->calls + f->costs + 1, sizeof(*e.entry));
	err = f->of_call && f->of_cost && e.entry ? add_groups(&e, f, calls, report) : -ENOMEM;
	if (!err)
		err = find(f, &e, c);
	index_free(&e.by_place);
	free(e.entry);
	free(e.sorted);
	return err;
}

void page_functions_free(struct page_functions *f)
{
	free(f->function);
	free(f->of_call);
	free(f->of_cost);
}

void page_functions_put(const struct page_functions *f, FILE *to)
{
	JSON_ROW(to, "of_call", uint32_t, f->calls, f->of_call[i]);
	JSON_ROW(to, "of_cost", uint32_t, f->costs, f->of_cost[i]);
}
