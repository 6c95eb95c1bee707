// SPDX-License-Identifier: BSD-2-Clause
/* Functions of the page -> their lines -> text that has room */
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

static void take_text(struct page_source *s, struct page_lines *function)
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

int page_source_line(struct page_source *s, const char *path, int line, uint32_t *file)
{
	const struct page_range range = { line, line };
	struct page_file *f;
	size_t bytes;

	*file = find_file(s, path);
	if (*file == INDEX_NEW)
		return -ENOMEM;
	f = &s->file[*file];
	bytes = f->shown ? take_range(f, &range, false) : 0;
	if (bytes && bytes <= s->room)
		s->room -= take_range(f, &range, true);
	return 0;
}

/* ---- functions ---- */

static int add_function(struct page_source *s, const struct coverage_function *of)
{
	struct page_lines *function = &s->function[s->functions++];
	int err = annotate_lines_find(&function->lines, of);

	if (err || !function->lines.n)
		return err;
	function->file = find_file(s, function->lines.path);
	if (function->file == INDEX_NEW)
		return -ENOMEM;
	take_text(s, function);
	return 0;
}

int page_source_find(struct page_source *s, const struct page_functions *functions)
{
	uint32_t i;
	int err;

	*s = (struct page_source){ .room = PAGE_SOURCE_MAX };
	s->function = calloc(functions->n + 1, sizeof(*s->function));
	err = s->function ? 0 : -ENOMEM;
	for (i = 0; i < functions->n && !err; i++)
		err = add_function(s, &functions->function[i]);
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
}
