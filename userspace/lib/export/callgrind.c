// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile as Callgrind writes it, for KCachegrind and callgrind_annotate
 * (https://valgrind.org/docs/manual/cl-format.html): of each function the instructions of its own,
 * and of each function that it called how often, and what that cost.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/quote.h"
#include "export/profile.h"

/* A name is written once, behind its number; later the number stands for it. */
static void put_function(const struct profile *p, const char *prefix, size_t group, bool *known)
{
	const struct report_group *g = report_group(p->report, group);
	char name[REPORT_NAME_MAX];

	fprintf(p->to, "%sob=", prefix);
	if (g->module)
		print_plain(p->to, g->module, SIZE_MAX);
	else
		fputs("???", p->to);
	fprintf(p->to, "\n%sfn=(%zu)", prefix, group + 1);
	if (!known[group]) {
		putc(' ', p->to);
		print_plain(p->to, profile_name(p, group, name), sizeof(name));
	}
	known[group] = true;
	putc('\n', p->to);
}

static int by_caller(const void *a, const void *b)
{
	const struct report_link *x = *(const struct report_link **)a;
	const struct report_link *y = *(const struct report_link **)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Where the lines are is not known: all costs are of line 0. */
static void put_functions(const struct profile *p, const struct report_link **link, bool *known)
{
	size_t i, k = 0, n = report_links(p->report);

	for (i = 0; i < report_groups(p->report); i++) {
		const uint64_t self = report_group(p->report, i)->self;

		if (!self && (k == n || link[k]->from != i))
			continue;
		putc('\n', p->to);
		put_function(p, "", i, known);
		fprintf(p->to, "0 %" PRIu64 "\n", self);
		for (; k < n && link[k]->from == i; k++) {
			put_function(p, "c", link[k]->group, known);
			fprintf(p->to, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n", link[k]->calls,
				link[k]->total);
		}
	}
}

static int write_callgrind(const struct profile *p)
{
	const size_t n = report_links(p->report);
	const struct report_link **link = calloc(n + 1, sizeof(*link));
	bool *known = calloc(report_groups(p->report) + 1, sizeof(*known));
	const bool room = link && known;
	size_t i;

	fputs("# callgrind format\nversion: 1\ncreator: softpt\ncmd: ", p->to);
	print_plain(p->to, p->path, SIZE_MAX);
	fprintf(p->to, "\npositions: line\nevents: Instructions\nsummary: %" PRIu64 "\n"
		"\nfl=???\n",
		report_totals(p->report)->instructions);
	if (room) {
		for (i = 0; i < n; i++)
			link[i] = report_link(p->report, i);
		qsort(link, n, sizeof(*link), by_caller);
		put_functions(p, link, known);
	}
	free(link);
	free(known);
	return room ? 0 : -ENOMEM;
}

static int run_callgrind(const struct export *e, const struct export_stream *streams,
			 unsigned int nr)
{
	return profile_export(e, streams, nr, REPORT_EDGES, write_callgrind);
}

const struct exporter export_callgrind = { "callgrind", run_callgrind };
