// SPDX-License-Identifier: BSD-2-Clause
#include "coverage/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/dwarf/lines.h"
#include "report/index.h"

/* Something at a line, of one function of the program */
struct item {
	uint32_t source;
	uint32_t file;		/* of the program */
	uint64_t function;	/* of that */
	uint64_t addr;		/* of a branch */
	struct coverage_line at;
};

struct items {
	struct item *item;
	size_t n;
};

/* The search through the files of a program */
struct search {
	const struct coverage *coverage;
	const struct coverage_file *file;
	uint32_t number;			/* of @file */
	struct source_function function;	/* the last one */
	struct coverage_sources *sources;
	struct report_index by_path;
	struct items lines;
	struct items functions;
	struct items branches;
};

/* ---- source files ---- */

static uint32_t add_source(struct coverage_sources *s, const char *path)
{
	struct coverage_source *grown = reallocarray(s->source, s->n + 1, sizeof(*grown));

	if (!grown)
		return INDEX_NEW;
	s->source = grown;
	grown[s->n] = (struct coverage_source){ .path = strdup(path) };
	return grown[s->n].path ? s->n++ : INDEX_NEW;
}

/* Two names may have one hash: then the second has the next number. Return: INDEX_NEW: no memory */
static uint32_t find_source(struct search *s, const char *path)
{
	const uint64_t hash = index_hash(path);
	uint32_t *number;
	uint64_t i;

	for (i = 0;; i++) {
		number = index_at(&s->by_path, hash, i);
		if (!number)
			return INDEX_NEW;
		if (*number == INDEX_NEW)
			return *number = add_source(s->sources, path);
		if (!strcmp(s->sources->source[*number].path, path))
			return *number;
	}
}

/* ---- what they have ---- */

static bool add(struct search *s, struct items *items, const char *path, struct item item)
{
	struct item *grown = array_more(items->item, items->n, sizeof(*grown));

	item.source = find_source(s, path);
	item.file = s->number;
	if (grown)
		items->item = grown;
	if (!grown || item.source == INDEX_NEW)
		return false;
	items->item[items->n++] = item;
	return true;
}

static bool take_line(void *ctx, const char *path, int line, uint64_t from)
{
	struct search *s = ctx;
	const struct symbol_place place = { coverage_symbols(s->file), from };

	if (from < s->function.from || from >= s->function.to)
		source_function_at(&place, &s->function);
	return add(s, &s->lines, path, (struct item){
		.function = s->function.from,
		.at = { .line = line, .times = coverage_times(s->file, from) },
	});
}

static bool take_branch(struct search *s, const struct coverage_insn *insn)
{
	const struct symbol_place place = { coverage_symbols(s->file), insn->addr };
	char path[4096];
	int line;

	if (!source_line(&place, &line, path, sizeof(path)) || line < 1)
		return true;
	return add(s, &s->branches, path, (struct item){
		.addr = insn->addr,
		.at = { .line = line, .times = insn->times, .taken = insn->taken },
	});
}

static bool take_function(void *ctx, const struct source_function *function)
{
	struct search *s = ctx;
	const struct symbol_place place = { coverage_symbols(s->file), function->from };
	struct coverage_insn insn;
	struct item item = { 0 };
	char path[4096];
	uint64_t at;

	if (!source_line(&place, &item.at.line, path, sizeof(path)) || item.at.line < 1)
		return true;
	item.at.name = function->name;
	item.at.label = function->label;
	item.at.times = coverage_times(s->file, function->from);
	if (!add(s, &s->functions, path, item))
		return false;
	for (at = function->from; coverage_insn(s->file, at, function->to, &insn); at += insn.size)
		if (insn.conditional && !take_branch(s, &insn))
			return false;
	return true;
}

static bool search(struct search *s)
{
	struct symbol_file *symbols;
	size_t i;

	for (i = 0; i < coverage_files(s->coverage); i++) {
		s->file = coverage_file(s->coverage, i);
		s->number = i;
		s->function = (struct source_function){ 0 };
		symbols = coverage_symbols(s->file);
		if (symbols && (!source_lines(symbols, take_line, s) ||
				!source_functions(symbols, take_function, s)))
			return false;
	}
	return true;
}

/* ---- in order ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare(x->source, y->source);

	order = order ? order : compare(x->at.line, y->at.line);
	order = order ? order : compare(x->file, y->file);
	order = order ? order : compare(x->function, y->function);
	return order ? order : compare(x->addr, y->addr);
}

static bool is_line(const struct item *a, const struct item *b)
{
	return a->source == b->source && a->at.line == b->at.line;
}

static bool is_copy(const struct item *a, const struct item *b)
{
	return is_line(a, b) && a->file == b->file && a->function == b->function;
}

/* One item for each line: the most of each copy, and the sum of the copies */
static void merge(struct items *lines)
{
	struct item *to = lines->item, copy;
	size_t i = 0;

	while (i < lines->n) {
		for (copy = lines->item[i]; i < lines->n && is_copy(&copy, &lines->item[i]); i++)
			if (lines->item[i].at.times > copy.at.times)
				copy.at.times = lines->item[i].at.times;
		if (to > lines->item && is_line(to - 1, &copy))
			to[-1].at.times += copy.at.times;
		else
			*to++ = copy;
	}
	lines->n = to - lines->item;
}

/* The items of a source, from @i on. Return: false without memory */
static bool give(const struct items *items, size_t *i, uint32_t source, struct coverage_lines *to)
{
	size_t end = *i, n = 0;

	while (end < items->n && items->item[end].source == source)
		end++;
	to->line = calloc(end - *i + 1, sizeof(*to->line));
	if (!to->line)
		return false;
	for (; *i < end; ++*i)
		to->line[n++] = items->item[*i].at;
	to->n = n;
	return true;
}

static void sort(struct items *items)
{
	if (items->n)
		qsort(items->item, items->n, sizeof(*items->item), by_line);
}

static bool give_all(struct search *s)
{
	size_t line = 0, function = 0, branch = 0;
	struct coverage_source *to;
	uint32_t i;

	sort(&s->lines);
	sort(&s->functions);
	sort(&s->branches);
	merge(&s->lines);
	for (i = 0; i < s->sources->n; i++) {
		to = &s->sources->source[i];
		if (!give(&s->lines, &line, i, &to->lines) ||
		    !give(&s->functions, &function, i, &to->functions) ||
		    !give(&s->branches, &branch, i, &to->branches))
			return false;
	}
	return true;
}

int coverage_sources_find(struct coverage_sources *sources, const struct coverage *coverage)
{
	struct search s = { .coverage = coverage, .sources = sources };
	bool done;

	*sources = (struct coverage_sources){ 0 };
	done = search(&s) && give_all(&s);
	free(s.lines.item);
	free(s.functions.item);
	free(s.branches.item);
	index_free(&s.by_path);
	return done ? 0 : -ENOMEM;
}

void coverage_sources_free(struct coverage_sources *sources)
{
	size_t i;

	for (i = 0; i < sources->n; i++) {
		free(sources->source[i].path);
		free(sources->source[i].lines.line);
		free(sources->source[i].functions.line);
		free(sources->source[i].branches.line);
	}
	free(sources->source);
}
