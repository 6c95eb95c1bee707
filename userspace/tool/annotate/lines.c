// SPDX-License-Identifier: BSD-2-Clause
#include "lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

#define PATH_LENGTH	4096

void annotate_lines_free(struct annotate_lines *lines)
{
	free(lines->path);
	free(lines->line);
	*lines = (struct annotate_lines){ 0 };
}

static bool add(struct annotate_lines *lines, int line, uint64_t times)
{
	struct annotate_line *grown;

	if (!(lines->n & (lines->n - 1))) {
		grown = reallocarray(lines->line, lines->n ? 2 * lines->n : 1, sizeof(*grown));
		if (!grown)
			return false;
		lines->line = grown;
	}
	lines->line[lines->n++] = (struct annotate_line){ line, times };
	return true;
}

/* Of the same line as the last one: the larger number is kept. Return: false: it is of another */
static bool join(struct annotate_lines *lines, int line, uint64_t times)
{
	struct annotate_line *last = lines->n ? &lines->line[lines->n - 1] : NULL;

	if (!last || last->line != line)
		return false;
	last->times = times > last->times ? times : last->times;
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct annotate_line *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

/* Each line once */
static void merge(struct annotate_lines *lines)
{
	const size_t n = lines->n;
	size_t i;

	if (n)
		qsort(lines->line, n, sizeof(*lines->line), by_number);
	lines->n = 0;
	for (i = 0; i < n; i++)
		if (!join(lines, lines->line[i].line, lines->line[i].times))
			lines->line[lines->n++] = lines->line[i];
}

/* Return: false without memory */
static bool take(struct annotate_lines *lines, int line, uint64_t times)
{
	return join(lines, line, times) || add(lines, line, times);
}

int annotate_lines_find(struct annotate_lines *lines, const struct coverage_function *f)
{
	char path[PATH_LENGTH];
	struct coverage_insn insn;
	uint64_t at;
	int line;

	*lines = (struct annotate_lines){ 0 };
	if (!annotate_source(f, f->at.from, &lines->begin, path, sizeof(path)))
		return 0;
	lines->path = strdup(path);
	if (!lines->path)
		return -ENOMEM;
	for (at = f->at.from; annotate_next(f, at, &insn); at = insn.addr + insn.size)
		if (annotate_source(f, insn.addr, &line, path, sizeof(path)) && line > 0 &&
		    !strcmp(path, lines->path) && !take(lines, line, insn.times))
			return -ENOMEM;
	merge(lines);
	return 0;
}
