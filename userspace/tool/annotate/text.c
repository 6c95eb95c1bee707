// SPDX-License-Identifier: BSD-2-Clause
/* Functions for people: instructions below their lines of source, or the lines alone */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "source.h"
#include "view.h"
#include "../cli/tool.h"

#define PATH_LENGTH	4096

/* A name, or a line of source with its tabs */
static void put_plain(const char *text)
{
	size_t len;

	for (;; text += len + 1) {
		len = strcspn(text, "\t");
		print_plain(stdout, text, len);
		if (!text[len])
			return;
		putchar('\t');
	}
}

static void put_head(const struct annotate_view *v, const struct coverage_function *f)
{
	const uint64_t all = coverage_instructions(v->coverage);
	char label[LABEL_MAX];

	fputs(colour(stdout, COLOUR_FLOW), stdout);
	put_plain(annotate_label(f, label));
	printf("%s  (", colour(stdout, COLOUR_PLAIN));
	put_plain(f->module);
	printf("): %" PRIu64 " instructions, %.1f %% of all; entered %" PRIu64 " time%s\n\n",
	       f->instructions, all ? 100.0 * f->instructions / all : 0, f->entered,
	       f->entered == 1 ? "" : "s");
}

/* Half of what was executed most is hot, and what was not executed is dim. */
static const char *heat(uint64_t times, uint64_t most)
{
	if (!times)
		return colour(stdout, COLOUR_DIM);
	return colour(stdout, times >= most / 2 + most % 2 ? COLOUR_WARN : COLOUR_PLAIN);
}

static uint64_t most_of(const struct coverage_function *f)
{
	struct coverage_insn insn;
	uint64_t at, most = 0;

	for (at = f->at.from; annotate_next(f, at, &insn); at = insn.addr + insn.size)
		if (insn.times > most)
			most = insn.times;
	return most;
}

/* ---- instructions ---- */

/* The line of an instruction, if the one before is of another */
static void put_source(struct source_text *sources, const struct coverage_function *f,
		       uint64_t addr, char *last, int *last_line)
{
	char path[PATH_LENGTH];
	const char *slash, *text;
	int line;

	if (!annotate_source(f, addr, &line, path, sizeof(path)) ||
	    (line == *last_line && !strcmp(path, last)))
		return;
	strcpy(last, path);
	*last_line = line;
	slash = strrchr(path, '/');
	text = source_text_at(sources, path, line);
	fputs(colour(stdout, COLOUR_TIME), stdout);
	put_plain(slash ? slash + 1 : path);
	printf(":%d", line);
	if (text) {
		putchar('\t');
		put_plain(text);
	}
	printf("%s\n", colour(stdout, COLOUR_PLAIN));
}

static void put_insn(const struct coverage_function *f, const struct coverage_insn *insn,
		     uint64_t most)
{
	char text[128], taken[24] = "";

	if (insn->conditional)
		snprintf(taken, sizeof(taken), "%" PRIu64, insn->taken);
	printf("%s%12" PRIu64 " %12s  %8" PRIx64 "  %s%s\n", heat(insn->times, most), insn->times,
	       taken, insn->addr, annotate_insn(f, insn, text, sizeof(text)),
	       colour(stdout, COLOUR_PLAIN));
}

static void put_insns(struct source_text *sources, const struct coverage_function *f)
{
	const uint64_t most = most_of(f);
	char last[PATH_LENGTH] = "";
	struct coverage_insn insn;
	int last_line = 0;
	uint64_t at;

	printf("%12s %12s  %8s  INSTRUCTION\n", "TIMES", "TAKEN", "ADDRESS");
	for (at = f->at.from; annotate_next(f, at, &insn); at = insn.addr + insn.size) {
		if (insn.addr != at)
			printf("%12s\n", "...");
		put_source(sources, f, insn.addr, last, &last_line);
		put_insn(f, &insn, most);
	}
}

/* ---- lines ---- */

static void put_line(struct source_text *sources, const char *path, int number,
		     const struct annotate_line *line, uint64_t most)
{
	const char *text = source_text_at(sources, path, number);
	char times[24] = "";

	if (line)
		snprintf(times, sizeof(times), "%" PRIu64, line->times);
	printf("%s%12s %5d\t", line ? heat(line->times, most) : "", times, number);
	put_plain(text ? text : "");
	printf("%s\n", line ? colour(stdout, COLOUR_PLAIN) : "");
}

static int put_lines(struct source_text *sources, const struct coverage_function *f)
{
	const uint64_t most = most_of(f);
	struct annotate_lines lines;
	int number, err = annotate_lines_find(&lines, f);
	size_t i;

	if (!lines.n) {
		if (!err)
			printf("%12s  no line of source is known (build with -g)\n", "");
		annotate_lines_free(&lines);
		return err;
	}
	printf("%12s  ", "TIMES");
	put_plain(lines.path);
	putchar('\n');
	for (i = 0; i < lines.n; i++) {
		number = i ? lines.line[i - 1].line + 1 : lines.line[i].line;
		for (; number < lines.line[i].line; number++)
			put_line(sources, lines.path, number, NULL, most);
		put_line(sources, lines.path, number, &lines.line[i], most);
	}
	annotate_lines_free(&lines);
	return 0;
}

/* ---- all ---- */

static void put_rest(const struct annotate_view *v, uint64_t more)
{
	const uint64_t elsewhere = coverage_elsewhere(v->coverage);

	if (more)
		printf("\n%" PRIu64 " more functions (--limit)\n", more);
	if (elsewhere)
		printf("\n%" PRIu64 " instructions were in code that no file has\n", elsewhere);
}

int annotate_text(const struct annotate_view *v)
{
	struct source_text sources = { 0 };
	uint64_t shown = 0, more = 0;
	size_t i;
	int err = 0;

	for (i = 0; i < coverage_functions(v->coverage) && !err; i++) {
		const struct coverage_function *f = coverage_function(v->coverage, i);

		if (!annotate_shows(v, f))
			continue;
		if (shown == v->limit) {
			more++;
			continue;
		}
		if (shown++)
			putchar('\n');
		put_head(v, f);
		if (v->lines)
			err = put_lines(&sources, f);
		else
			put_insns(&sources, f);
	}
	if (!err)
		put_rest(v, more);
	source_text_free(&sources);
	return err;
}
