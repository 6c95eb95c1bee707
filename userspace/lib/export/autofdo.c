// SPDX-License-Identifier: BSD-2-Clause
/*
 * A sample profile as text, as clang -fprofile-sample-use and llvm-profdata read it
 * (llvm/ProfileData/SampleProfReader.h). Its counts are exact: what perf samples is counted here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/covered.h"

/* What is inlined is one blank farther to the right than what is around it. */
static void put_spot(FILE *to, const struct context_spot *spot, int depth)
{
	fprintf(to, "%*s%u", depth, "", spot->offset);
	if (spot->discriminator)
		fprintf(to, ".%" PRIu32, spot->discriminator);
	fputs(": ", to);
}

static void put_line(FILE *to, const struct context_line *line, int depth)
{
	const struct context_target *target;

	put_spot(to, &line->spot, depth);
	fprintf(to, "%" PRIu64, line->times);
	for (target = line->targets; target; target = target->next)
		fprintf(to, " %s:%" PRIu64, target->name, target->times);
	fputc('\n', to);
}

static void put_body(FILE *to, const struct context *function, int depth)
{
	const struct context_line *line;
	const struct context *inlined;

	for (line = function->lines; line; line = line->next)
		put_line(to, line, depth);
	for (inlined = function->inlined; inlined; inlined = inlined->next) {
		put_spot(to, &inlined->spot, depth);
		fprintf(to, "%s:%" PRIu64 "\n", inlined->name, inlined->total);
		put_body(to, inlined, depth + 1);
	}
}

static int write_autofdo(const void *what, FILE *to)
{
	const struct context *function;

	for (function = contexts_first(what); function && function->total;
	     function = function->next) {
		fprintf(to, "%s:%" PRIu64 ":%" PRIu64 "\n", function->name, function->total,
			function->entered);
		put_body(to, function, 1);
	}
	return 0;
}

static int run_autofdo(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return covered_export_samples(e, streams, nr, write_autofdo);
}

const struct exporter export_autofdo = { "autofdo", run_autofdo };
