// SPDX-License-Identifier: BSD-2-Clause
/* Coverage as lcov has it: geninfo(1), "TRACE FILES" */
#include <inttypes.h>
#include <stdio.h>

#include "base/quote.h"
#include "export/covered.h"

/* A name that had an end of line in it would be another row. */
static void put_name(FILE *to, const char *name)
{
	print_plain(to, name, SIZE_MAX);
	fputc('\n', to);
}

static void put_functions(FILE *to, const struct coverage_lines *functions)
{
	unsigned int hit = 0;
	size_t i;

	for (i = 0; i < functions->n; i++) {
		fprintf(to, "FN:%d,", functions->line[i].line);
		put_name(to, functions->line[i].name);
	}
	for (i = 0; i < functions->n; i++) {
		fprintf(to, "FNDA:%" PRIu64 ",", functions->line[i].times);
		put_name(to, functions->line[i].name);
		hit += functions->line[i].times > 0;
	}
	fprintf(to, "FNF:%zu\nFNH:%u\n", functions->n, hit);
}

/* Of a branch 0 is the way of the jump, 1 the instruction behind it. */
static void put_branch(FILE *to, const struct coverage_line *b, unsigned int block, bool taken)
{
	fprintf(to, "BRDA:%d,%u,%d,", b->line, block, !taken);
	if (b->times)
		fprintf(to, "%" PRIu64 "\n", taken ? b->taken : b->times - b->taken);
	else
		fputs("-\n", to);
}

static void put_branches(FILE *to, const struct coverage_lines *branches)
{
	const struct coverage_line *b = branches->line;
	unsigned int block = 0, hit = 0;
	size_t i;

	for (i = 0; i < branches->n; i++) {
		block = i && b[i].line == b[i - 1].line ? block + 1 : 0;
		put_branch(to, &b[i], block, true);
		put_branch(to, &b[i], block, false);
		hit += (b[i].taken > 0) + (b[i].times > b[i].taken);
	}
	fprintf(to, "BRF:%zu\nBRH:%u\n", 2 * branches->n, hit);
}

static void put_lines(FILE *to, const struct coverage_lines *lines)
{
	unsigned int hit = 0;
	size_t i;

	for (i = 0; i < lines->n; i++) {
		fprintf(to, "DA:%d,%" PRIu64 "\n", lines->line[i].line, lines->line[i].times);
		hit += lines->line[i].times > 0;
	}
	fprintf(to, "LF:%zu\nLH:%u\n", lines->n, hit);
}

static int write_lcov(const void *what, FILE *to)
{
	const struct coverage_sources *sources = what;
	size_t i;

	for (i = 0; i < sources->n; i++) {
		const struct coverage_source *source = &sources->source[i];

		fputs("TN:\nSF:", to);
		put_name(to, source->path);
		put_functions(to, &source->functions);
		put_branches(to, &source->branches);
		put_lines(to, &source->lines);
		fputs("end_of_record\n", to);
	}
	return 0;
}

static int run_lcov(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return covered_export_sources(e, streams, nr, write_lcov);
}

const struct exporter export_lcov = { "lcov", run_lcov };
