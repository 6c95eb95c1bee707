// SPDX-License-Identifier: BSD-2-Clause
/* Functions of the page -> functions of the coverage -> their lines -> text that has room */
#include "source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE	2	/* lines in front of the first with code: the name of the function */
#define AFTER	1	/* behind the last one */
#define GAP	20	/* from a line with code to the next; what is wider is not shown */
#define COUNT	16	/* bytes of a line's number and count, about */

/* ---- text ---- */

size_t page_range(const struct annotate_lines *lines, size_t i, struct page_range *range)
{
	const struct annotate_line *line = lines->line;

	range->from = line[i].line > BEFORE ? line[i].line - BEFORE : 1;
	for (i++; i < lines->n && line[i].line - line[i - 1].line <= GAP; i++)
		;
	range->to = line[i - 1].line < INT_MAX - AFTER ? line[i - 1].line + AFTER : INT_MAX;
	return i;
}

/* Bytes of the lines of a range that are not shown yet; @show: they are now */
static size_t take_range(struct page_file *f, const struct page_range *range, bool show)
{
	size_t n, bytes = 0;

	for (n = range->from; n <= (size_t)range->to && n <= f->text.n; n++) {
		if (!f->shown[n - 1])
			bytes += strlen(f->text.line[n - 1]) + 1;
		f->shown[n - 1] |= show;
	}
	return bytes;
}

static size_t take_ranges(struct page_file *f, const struct annotate_lines *lines, bool show)
{
	struct page_range range;
	size_t i = 0, bytes = lines->n * COUNT;

	while (i < lines->n) {
		i = page_range(lines, i, &range);
		bytes += take_range(f, &range, show);
	}
	return bytes;
}

static void take_text(struct page_source *s, struct page_function *function)
{
	struct page_file *f = &s->file[function->file];
	const size_t bytes = f->shown ? take_ranges(f, &function->lines, false) : 0;

	if (bytes > s->room) {
		function->left_out = true;
	} else if (f->shown) {
		take_ranges(f, &function->lines, true);
		s->room -= bytes;
	}
}

/* ---- source files ---- */

static uint32_t add_file(struct page_source *s, const char *path)
{
	struct page_file *grown = reallocarray(s->file, s->files + 1, sizeof(*grown)), *f;

	if (!grown)
		return INDEX_NEW;
	s->file = grown;
	f = &grown[s->files++];
	*f = (struct page_file){ 0 };
	source_text_at(&f->text, path, 1);
	if (f->text.n)
		f->shown = calloc(f->text.n, sizeof(*f->shown));
	return f->text.path && (f->shown || !f->text.n) ? s->files - 1 : INDEX_NEW;
}

/* Two names may have one hash: then the second has the next number. Return: INDEX_NEW: no memory */
static uint32_t find_file(struct page_source *s, const char *path)
{
	const uint64_t hash = index_hash(path);
	uint32_t *number;
	uint64_t i;

	for (i = 0;; i++) {
		number = index_at(&s->by_path, hash, i);
		if (!number)
			return INDEX_NEW;
		if (*number == INDEX_NEW)
			return *number = add_file(s, path);
		if (!strcmp(s->file[*number].text.path, path))
			return *number;
	}
}

/* ---- functions ---- */

/* @number: set where its lines are known. Return: 0 or -ENOMEM */
static int add_function(struct page_source *s, const struct coverage_function *of, uint32_t *number)
{
	struct page_function *grown = s->function, *function;
	int err;

	if (!(s->functions & (s->functions - 1)))
		grown = reallocarray(grown, s->functions ? 2 * s->functions : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->function = grown;
	function = &grown[s->functions];
	*function = (struct page_function){ 0 };
	err = annotate_lines_find(&function->lines, of);
	if (err || !function->lines.n) {
		annotate_lines_free(&function->lines);
		return err;
	}
	*number = s->functions++;
	function->file = find_file(s, function->lines.path);
	if (function->file == INDEX_NEW)
		return -ENOMEM;
	take_text(s, function);
	return 0;
}

/* Of each function, by its place, its number in the coverage. Return: 0 or -ENOMEM */
static int index_functions(struct report_index *by_place, const struct coverage *c)
{
	uint32_t *number;
	size_t i;

	for (i = 0; i < coverage_functions(c); i++) {
		const struct coverage_function *f = coverage_function(c, i);

		number = index_at(by_place, index_hash(source_path(coverage_symbols(f->file))),
				  f->at.from);
		if (!number)
			return -ENOMEM;
		*number = i;
	}
	return 0;
}

static bool is_same(const struct coverage_function *f, const struct report_group *g)
{
	return f->at.name && !strcmp(f->at.name, g->name) &&
	       !strcmp(source_path(coverage_symbols(f->file)), g->path);
}

/* The number of a group in the coverage; INDEX_NEW: there is nothing of it. Return: 0 or -ENOMEM */
static int find_function(struct report_index *by_place, const struct coverage *c,
			 const struct report_group *g, uint32_t *number)
{
	uint32_t *found;

	*number = INDEX_NEW;
	if (!g->name || !g->path)
		return 0;
	found = index_at(by_place, index_hash(g->path), g->address);
	if (!found)
		return -ENOMEM;
	if (*found != INDEX_NEW && is_same(coverage_function(c, *found), g))
		*number = *found;
	return 0;
}

static int find_groups(struct page_source *s, struct report_index *by_place,
		       const struct coverage *c, const struct report_groups *calls,
		       const struct report *report)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < s->calls && !err; i++)
		err = find_function(by_place, c, &calls->group[i], &s->of_call[i]);
	for (i = 0; i < s->costs && !err; i++)
		err = find_function(by_place, c, report_group(report, i), &s->of_cost[i]);
	return err;
}

/* From numbers of the coverage to ours */
static void renumber(uint32_t *of, uint32_t n, const uint32_t *number)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		of[i] = of[i] == INDEX_NEW ? INDEX_NEW : number[of[i]];
}

/* Only what is called on the page, those with the most instructions first: text has little room. */
static int add_functions(struct page_source *s, const struct coverage *c)
{
	const size_t n = coverage_functions(c);
	uint32_t *number = calloc(n + 1, sizeof(*number)), i;
	int err = number ? 0 : -ENOMEM;

	for (i = 0; i < s->calls && !err; i++)
		if (s->of_call[i] != INDEX_NEW)
			number[s->of_call[i]] = 1;
	for (i = 0; i < s->costs && !err; i++)
		if (s->of_cost[i] != INDEX_NEW)
			number[s->of_cost[i]] = 1;
	for (i = 0; i < n && !err; i++) {
		const bool wanted = number[i];

		number[i] = INDEX_NEW;
		if (wanted)
			err = add_function(s, coverage_function(c, i), &number[i]);
	}
	if (!err) {
		renumber(s->of_call, s->calls, number);
		renumber(s->of_cost, s->costs, number);
	}
	free(number);
	return err;
}

int page_source_find(struct page_source *s, const struct coverage *c,
		     const struct report_groups *calls, const struct report *report)
{
	struct report_index by_place = { 0 };
	int err;

	*s = (struct page_source){
		.calls = calls->n, .costs = report_groups(report), .room = PAGE_SOURCE_MAX,
	};
	s->of_call = calloc(s->calls + 1, sizeof(*s->of_call));
	s->of_cost = calloc(s->costs + 1, sizeof(*s->of_cost));
	err = s->of_call && s->of_cost ? index_functions(&by_place, c) : -ENOMEM;
	if (!err)
		err = find_groups(s, &by_place, c, calls, report);
	if (!err)
		err = add_functions(s, c);
	index_free(&by_place);
	return err;
}

void page_source_free(struct page_source *s)
{
	uint32_t i;

	for (i = 0; i < s->files; i++) {
		source_text_free(&s->file[i].text);
		free(s->file[i].shown);
	}
	for (i = 0; i < s->functions; i++)
		annotate_lines_free(&s->function[i].lines);
	index_free(&s->by_path);
	free(s->file);
	free(s->function);
	free(s->of_call);
	free(s->of_cost);
}
