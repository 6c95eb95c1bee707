// SPDX-License-Identifier: BSD-2-Clause
/* softpt export: a trace in another program's format */
#include "export/export.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include <softpt/softpt.h>
#include "cli/input.h"
#include "cli/tool.h"
#include "export/tables/columns.h"

static const struct exporter *const exporters[] = {
	&export_perf, &export_perfetto, &export_pt, &export_events,
	&export_folded, &export_speedscope, &export_callgrind, &export_pprof,
	&export_lcov, &export_cobertura, &export_drcov, &export_bolt, &export_autofdo,
	&export_propeller, &export_sqlite, &export_arrow,
};

#define NR_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

enum {
	TRUTH = 0x100,
	BRANCHES,
	TABLE,
	SYMBOL_ORDER,
};

static const struct option_row options[] = {
	{ 't', "to", "FORMAT", "which it is; see below" },
	{ 'o', "output", "FILE", "where to" },
	{ 'C', "cpu", "N", "this CPU only" },
	{ TRUTH, "truth", "FILE", "events: when they really happened (record -c truth=)" },
	{ BRANCHES, "branches", NULL, "sqlite: also each branch that was taken" },
	{ TABLE, "table", "calls|functions|threads|events|branches|meta", "arrow: which" },
	{ SYMBOL_ORDER, "symbol-order", "FILE", "propeller: the order of functions, for lld" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	OPTION_CONFIG,
	{ 0 }
};

/* Streams of several files: a file that does not say gets the next CPU. */
static unsigned int collect(const struct export *e, const struct input *in, unsigned int n,
			    struct export_stream *streams)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < in[i].nr; k++) {
			const struct input_stream *s = &in[i].streams[k];
			unsigned int cpu = s->cpu < 0 ? i : (unsigned int)s->cpu;

			if (e->cpu < 0 || (unsigned int)e->cpu == cpu)
				streams[nr++] = (struct export_stream){ &in[i], s, cpu };
		}
	}
	return nr;
}

static int check_stream(const struct export_stream *stream)
{
	struct softpt_stream packets;

	if (stream->s->cpu >= 0)
		return 0;	/* in perf.data, where a CPU may have done nothing */
	softpt_stream_init(&packets, stream->s->buf, stream->s->len);
	return softpt_sync_forward(&packets, 0, NULL) ?
	       refuse(stream->in->path, "no PSB: not a trace, or cut out of one") : 0;
}

static int export_inputs(const struct export *e, const struct exporter *to, const struct input *in,
			 unsigned int n)
{
	struct export_stream *streams;
	unsigned int i, nr = 0;
	int status = 0;

	for (i = 0; i < n; i++)
		nr += in[i].nr;
	streams = calloc(nr + 1, sizeof(*streams));
	if (!streams)
		return refuse(e->output, "%s", strerror(ENOMEM));
	nr = collect(e, in, n, streams);
	for (i = 0; i < nr && !status; i++)
		status = check_stream(&streams[i]);
	if (!status && !nr)
		status = refuse_no_trace(in[0].path, e->cpu);
	if (!status)
		status = to->run(e, streams, nr) ? EXIT_REFUSED : 0;
	free(streams);
	return status;
}

static const struct exporter *find_exporter(const char *name)
{
	size_t i;

	for (i = 0; name && i < NR_EXPORTERS; i++)
		if (!strcmp(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

static int parse_options(const struct command *cmd, struct export *e, const char **format,
			 int argc, char **argv)
{
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 't':
			*format = optarg;
			break;
		case 'o':
			e->output = optarg;
			break;
		case TRUTH:
			e->truth = optarg;
			break;
		case BRANCHES:
			e->branches = true;
			break;
		case TABLE:
			e->table = tables_named(optarg);
			if (!e->table)
				return misuse(cmd, "--table %s: no table is called so", optarg);
			break;
		case SYMBOL_ORDER:
			e->symbol_order = optarg;
			break;
		case 'r':
			e->root = optarg;
			break;
		case 'C':
			if (!softpt_number_within(optarg, 0, INT32_MAX, &cpu))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			e->cpu = cpu;
			break;
		case 'c':
			if (config_option(&e->cfg, optarg))
				return EXIT_USAGE;
			e->given = true;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	return e->given ? config_done(&e->cfg) : 0;
}

static int check_choices(const struct command *cmd, const struct export *e,
			 const struct exporter *to, int files)
{
	if (!to || !e->output || files < 1)
		return misuse(cmd, !to ? "--to FORMAT is missing, or no format" :
			      !e->output ? "-o FILE is missing" : "FILE is missing");
	if (e->truth && to != &export_events)
		return misuse(cmd, "--truth: --to %s has no place for it", to->name);
	if (e->branches && to != &export_sqlite)
		return misuse(cmd, "--branches: --to %s has no place for them", to->name);
	if (e->table && to != &export_arrow)
		return misuse(cmd, "--table: --to %s has no choice of tables", to->name);
	if (e->symbol_order && to != &export_propeller)
		return misuse(cmd, "--symbol-order: --to %s has no order of functions", to->name);
	if (e->symbol_order && !strcmp(e->symbol_order, e->output))
		return misuse(cmd, "--symbol-order %s: -o is the same file", e->symbol_order);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct export e = { .cpu = -1, .root = "", .errors = &tool_errors };
	const struct exporter *to;
	const char *format = NULL;
	struct input *in;
	int i, n, status = 0;

	softpt_config_init(&e.cfg);
	if (parse_options(cmd, &e, &format, argc, argv))
		return EXIT_USAGE;
	to = find_exporter(format);
	n = argc - optind;
	if (check_choices(cmd, &e, to, n))
		return EXIT_USAGE;
	if (e.truth && spare_input(e.truth, e.output))
		return EXIT_REFUSED;
	in = calloc(n, sizeof(*in));
	if (!in)
		return refuse(e.output, "%s", strerror(ENOMEM));
	for (i = 0; i < n && !status; i++)
		status = spare_input(argv[optind + i], e.output) ||
			 spare_input(argv[optind + i], e.symbol_order) ||
			 open_input(&in[i], argv[optind + i]) ? EXIT_REFUSED : 0;
	if (!status)
		status = export_inputs(&e, to, in, n);
	for (i = 0; i < n; i++)
		input_close(&in[i]);
	free(in);
	return status;
}

const struct command command_export = {
	.name = "export",
	.args = "FILE...",
	.what = "write a trace in another program's format",
	.more = "FORMAT is one of\n"
		"  perf        perf.data, for `perf script --itrace=...`; its time is the TSC\n"
		"  perfetto    for ui.perfetto.dev: calls of threads as slices, raw packets as events\n"
		"  folded      stacks for flame graphs: flamegraph.pl, inferno\n"
		"  speedscope  for speedscope.app\n"
		"  callgrind   for KCachegrind and callgrind_annotate\n"
		"  pprof       for `pprof -http=:`\n"
		"  lcov        for genhtml and editors: lines, functions and branches that were executed\n"
		"  cobertura   the same for GitLab, Jenkins and Azure\n"
		"  drcov       for Lighthouse and fuzzers: blocks that were executed\n"
		"  bolt        for perf2bolt -pa: each branch of the program, how often it was taken\n"
		"  autofdo     for clang -fprofile-sample-use: lines and calls of functions, of a build with -g\n"
		"  propeller   for clang -fbasic-block-sections=list=FILE: blocks in the order they run;\n"
		"              --symbol-order: of functions, for lld --symbol-ordering-file=FILE\n"
		"  sqlite      tables for SQL and pandas: calls, functions, threads, events\n"
		"  arrow       one of these tables as a stream of Apache Arrow: DuckDB, polars, pandas\n"
		"  pt          the packets of one CPU\n"
		"  events      the events of one CPU, with the times of --truth, or those that softpt\n"
		"              decode finds\n"
		"folded, speedscope, callgrind and pprof have the instructions and calls of softpt report.\n"
		"lcov, cobertura, drcov and autofdo have what all FILEs executed, together.\n"
		"Raw packets know no CPU: the first FILE is CPU 0, the next CPU 1.",
	.options = options,
	.run = run,
};
