// SPDX-License-Identifier: BSD-2-Clause
/* The source of a page as its script reads it */
#include <inttypes.h>

#include "json.h"
#include "source.h"

/* Lines that are shown: [NUMBER OF THE FIRST,"LINE",...] for each piece */
static int put_text(const struct page_file *f, FILE *to)
{
	size_t i, pieces = 0;
	int err = 0;

	fputs(",\"text\":[", to);
	for (i = 0; i < f->text.n && !err; i++) {
		if (!f->shown[i])
			continue;
		if (!i || !f->shown[i - 1])
			fprintf(to, "%s[%zu", pieces++ ? ",\n" : "\n", i + 1);
		fputs(",\n", to);
		err = json_text(to, f->text.line[i]);
		if (i + 1 == f->text.n || !f->shown[i + 1])
			putc(']', to);
	}
	putc(']', to);
	return err;
}

static int put_files(const struct page_source *s, FILE *to)
{
	uint32_t i;
	int err = 0;

	fputs(",\n\"files\":[", to);
	for (i = 0; i < s->files && !err; i++) {
		const struct page_file *f = &s->file[i];

		fputs(i ? ",\n{\"path\":" : "\n{\"path\":", to);
		err = json_text(to, f->text.path);
		if (!err && f->shown)
			err = put_text(f, to);
		putc('}', to);
	}
	putc(']', to);
	return err;
}

static void put_lines(const struct annotate_lines *lines, FILE *to)
{
	struct page_range range;
	size_t i;

	fputs(",[", to);
	for (i = 0; i < lines->n;) {
		fputs(i ? "," : "", to);
		i = page_range(lines, i, &range);
		fprintf(to, "%d,%d", range.from, range.to);
	}
	fputs("],[", to);
	for (i = 0; i < lines->n; i++)
		fprintf(to, "%s%d,%" PRIu64, i ? "," : "", lines->line[i].line,
			lines->line[i].times);
	putc(']', to);
}

/* [FILE,LINE], and where the text is on the page,[FROM,TO,...],[LINE,TIMES,...]; 0: not known */
static void put_function(const struct page_source *s, const struct page_lines *f, FILE *to)
{
	if (!f->lines.n) {
		putc('0', to);
		return;
	}
	fprintf(to, "[%" PRIu32 ",%d", f->file, f->lines.begin);
	if (s->file[f->file].shown && !f->left_out)
		put_lines(&f->lines, to);
	putc(']', to);
}

int page_source_put(const struct page_source *s, FILE *to)
{
	const int err = put_files(s, to);
	uint32_t i;

	fputs(",\n\"functions\":[", to);
	for (i = 0; i < s->functions; i++) {
		fputs(i ? ",\n" : "\n", to);
		put_function(s, &s->function[i], to);
	}
	putc(']', to);
	return err;
}
