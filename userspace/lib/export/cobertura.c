// SPDX-License-Identifier: BSD-2-Clause
/*
 * Coverage as Cobertura has it (coverage-04.dtd), which GitLab, Jenkins and Azure show: a package
 * for each folder, a class for each source file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/quote.h"
#include "export/covered.h"

#define DTD	"http://cobertura.sourceforge.net/xml/coverage-04.dtd"

/* How much there is, and how much of it was executed */
struct rate {
	uint64_t all;
	uint64_t hit;
};

struct rates {
	struct rate lines;
	struct rate branches;
};

/* Source files of one folder */
struct folder {
	const struct coverage_source **source;
	size_t n;
	int length;		/* of its name, in the path of each */
	struct rates rates;
};

/* ---- rates ---- */

/* Ways of a branch that were gone */
static unsigned int ways(const struct coverage_line *branch)
{
	return (branch->taken > 0) + (branch->times > branch->taken);
}

static void count(struct rates *rates, const struct coverage_source *source)
{
	size_t i;

	rates->lines.all += source->lines.n;
	for (i = 0; i < source->lines.n; i++)
		rates->lines.hit += source->lines.line[i].times > 0;
	rates->branches.all += 2 * source->branches.n;
	for (i = 0; i < source->branches.n; i++)
		rates->branches.hit += ways(&source->branches.line[i]);
}

static double fraction(const struct rate *rate)
{
	return rate->all ? (double)rate->hit / rate->all : 1;
}

static void put_rates(FILE *to, const struct rates *rates)
{
	fprintf(to, " line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\">\n",
		fraction(&rates->lines), fraction(&rates->branches));
}

/* ---- names ---- */

/* ---- a source file ---- */

static void put_line(FILE *to, const struct coverage_line *line,
		     const struct coverage_lines *branches, size_t *i)
{
	unsigned int n = 0, hit = 0;

	for (; *i < branches->n && branches->line[*i].line <= line->line; ++*i)
		if (branches->line[*i].line == line->line) {
			n += 2;
			hit += ways(&branches->line[*i]);
		}
	fprintf(to, "<line number=\"%d\" hits=\"%" PRIu64 "\" branch=\"%s\"", line->line,
		line->times, n ? "true" : "false");
	if (n)
		fprintf(to, " condition-coverage=\"%u%% (%u/%u)\"", hit * 100 / n, hit, n);
	fputs("/>\n", to);
}

static void put_function(FILE *to, const struct coverage_line *f)
{
	struct rates rates = { .lines = { 1, f->times > 0 } };

	fputs("<method name=\"", to);
	print_xml(to, f->label, SIZE_MAX);
	fputs("\" signature=\"\"", to);
	put_rates(to, &rates);
	fprintf(to, "<lines><line number=\"%d\" hits=\"%" PRIu64 "\" branch=\"false\"/></lines>\n"
		"</method>\n", f->line, f->times);
}

static void put_source(FILE *to, const struct coverage_source *source)
{
	struct rates rates = { 0 };
	size_t i, branch = 0;

	count(&rates, source);
	fputs("<class name=\"", to);
	print_xml(to, basename(source->path), SIZE_MAX);
	fputs("\" filename=\"", to);
	print_xml(to, source->path + (*source->path == '/'), SIZE_MAX);
	fputc('"', to);
	put_rates(to, &rates);
	fputs("<methods>\n", to);
	for (i = 0; i < source->functions.n; i++)
		put_function(to, &source->functions.line[i]);
	fputs("</methods>\n<lines>\n", to);
	for (i = 0; i < source->lines.n; i++)
		put_line(to, &source->lines.line[i], &source->branches, &branch);
	fputs("</lines>\n</class>\n", to);
}

/* ---- all ---- */

static int by_path(const void *a, const void *b)
{
	const struct coverage_source *const *x = a, *const *y = b;
	const char *p = (*x)->path, *q = (*y)->path;
	const int n = basename(p) - p, m = basename(q) - q;
	int order = strncmp(p, q, n < m ? n : m);

	order = order ? order : n - m;
	return order ? order : strcmp(p, q);
}

/* The folder of the first of @n sources, and all that are in it */
static struct folder folder_of(const struct coverage_source **source, size_t n)
{
	const char *path = source[0]->path;
	struct folder f = { .source = source, .length = basename(path) - path };

	while (f.n < n && basename(source[f.n]->path) - source[f.n]->path == f.length &&
	       !strncmp(source[f.n]->path, path, f.length))
		count(&f.rates, source[f.n++]);
	return f;
}

static void put_folder(FILE *to, const struct folder *f)
{
	const char *path = f->source[0]->path;
	size_t i;

	fputs("<package name=\"", to);
	print_xml(to, path, f->length > 1 ? f->length - 1 : f->length);
	fputc('"', to);
	put_rates(to, &f->rates);
	fputs("<classes>\n", to);
	for (i = 0; i < f->n; i++)
		put_source(to, f->source[i]);
	fputs("</classes>\n</package>\n", to);
}

static void put_count(FILE *to, const char *name, uint64_t count)
{
	fprintf(to, " %s=\"%" PRIu64 "\"", name, count);
}

static void put_head(FILE *to, const struct coverage_sources *sources)
{
	struct rates rates = { 0 };
	size_t i;

	for (i = 0; i < sources->n; i++)
		count(&rates, &sources->source[i]);
	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE coverage SYSTEM \"" DTD "\">\n<coverage", to);
	put_count(to, "lines-covered", rates.lines.hit);
	put_count(to, "lines-valid", rates.lines.all);
	put_count(to, "branches-covered", rates.branches.hit);
	put_count(to, "branches-valid", rates.branches.all);
	put_count(to, "timestamp", time(NULL));
	fputs(" version=\"softpt\"", to);
	put_rates(to, &rates);
	fputs("<sources><source>/</source></sources>\n<packages>\n", to);
}

static int write_cobertura(const void *what, FILE *to)
{
	const struct coverage_sources *sources = what;
	const struct coverage_source **source = calloc(sources->n, sizeof(*source));
	struct folder f;
	size_t i;

	if (!source)
		return -ENOMEM;
	for (i = 0; i < sources->n; i++)
		source[i] = &sources->source[i];
	qsort(source, sources->n, sizeof(*source), by_path);
	put_head(to, sources);
	for (i = 0; i < sources->n; i += f.n) {
		f = folder_of(source + i, sources->n - i);
		put_folder(to, &f);
	}
	fputs("</packages>\n</coverage>\n", to);
	free(source);
	return 0;
}

static int run_cobertura(const struct export *e, const struct export_stream *streams,
			 unsigned int nr)
{
	return covered_export_sources(e, streams, nr, write_cobertura);
}

const struct exporter export_cobertura = { "cobertura", run_cobertura };
