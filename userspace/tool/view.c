// SPDX-License-Identifier: BSD-2-Clause
/* softpt view: a recording as a page for a browser */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "chart/chart.h"
#include "cli/input.h"
#include "cli/tool.h"
#include "coverage/coverage.h"
#include "flow/path.h"
#include "report/report.h"
#include "view/functions.h"
#include "view/insns.h"
#include "view/page.h"
#include "view/source.h"

#define SLICES	200000	/* a page of 10 MB */
#define MARKS	20000
#define OUTPUT	"softpt.html"
#define NO_SOURCE	256

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "where to; -: stdout (" OUTPUT ")" },
	{ 'n', "slices", "N",
	  "show about N calls one by one, and the shorter ones merged (200000)" },
	{ NO_SOURCE, "no-source", NULL, "leave source text and lines out" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

struct job {
	const char *path, *output, *root;
	uint64_t slices;
	bool no_source;
	struct input in;
	struct report *report;
	struct chart lengths, chart;
	struct coverage *coverage;
	struct page_functions functions;
	struct page_insns insns;
	struct page_source source;
};

/* ---- two walks: how long calls are, then those that are shown ---- */

static bool take_first(void *context, const struct softpt_flow_row *row)
{
	struct job *j = context;

	if (1u << row->event & CHART_ROWS && !chart_take(&j->lengths, row))
		return false;
	if (1u << row->event & COVERAGE_ROWS && !coverage_take(j->coverage, row))
		return false;
	return !(1u << row->event & REPORT_ROWS) || report_take(j->report, row);
}

static bool take_second(void *context, const struct softpt_flow_row *row)
{
	struct job *j = context;

	return chart_take(&j->chart, row);
}

/* @errors: NULL: the second walk meets what the first has told */
static int walk(struct job *j, uint32_t wanted, softpt_flow_row_fn row,
		const struct error_sink *errors)
{
	struct flow_path path = {
		.in = &j->in, .root = j->root, .wanted = wanted, .row = row, .context = j,
		.errors = errors,
	};

	return flow_path_walk(&path);
}

static int begin(struct job *j)
{
	j->report = report_new(REPORT_BY_FUNCTION, REPORT_TREE, 0);
	j->coverage = coverage_new();
	if (!j->report || !j->coverage)
		return -ENOMEM;
	return chart_begin(&j->lengths, UINT64_MAX, 0);
}

/* Behind both walks. Return: 0 or -ENOMEM */
static int finish(struct job *j)
{
	if (chart_finish(&j->chart) ||
	    page_functions_find(&j->functions, j->coverage, &j->chart.groups, j->report) ||
	    (!j->no_source && page_source_find(&j->source, &j->functions)))
		return -ENOMEM;
	return page_insns_find(&j->insns, &j->functions, j->no_source ? NULL : &j->source);
}

/* Return: 0, -EILSEQ with all that could be followed, or another -errno */
static int draw(struct job *j)
{
	int lost, err;

	if (begin(j))
		return -ENOMEM;
	lost = walk(j, CHART_ROWS | REPORT_ROWS | COVERAGE_ROWS, take_first, &tool_errors);
	if (lost && lost != -EILSEQ)
		return lost;
	if (report_finish(j->report) || chart_finish(&j->lengths) ||
	    coverage_finish(j->coverage) ||
	    chart_begin(&j->chart, chart_shortest(&j->lengths, j->slices), MARKS))
		return -ENOMEM;
	err = walk(j, CHART_ROWS, take_second, NULL);
	if (err && err != -EILSEQ)
		return err;
	return finish(j) ? -ENOMEM : lost;
}

/* ---- the file ---- */

static FILE *open_output(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd = strcmp(path, "-") ? open(path, flags, 0666) : dup(STDOUT_FILENO);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !to)
		close(fd);
	return to;
}

/* Half of a page shows nothing. */
static void remove_output(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") && !lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

static int write_output(const struct job *j)
{
	const struct page page = {
		.path = j->path, .perf = j->in.perf, .chart = &j->chart, .report = j->report,
		.functions = &j->functions, .insns = &j->insns,
		.source = j->no_source ? NULL : &j->source,
	};
	FILE *to = open_output(j->output);
	int err;

	if (!to)
		return refuse(j->output, "%s", strerror(errno));
	err = -page_write(&page, to);
	if (!err && ferror(to))
		err = EIO;	/* of a write before, whose reason has gone */
	if (fclose(to) && !err)
		err = errno;
	if (!err)
		return 0;
	remove_output(j->output);
	return refuse(j->output, "%s", strerror(err));
}

static void tell(const struct job *j)
{
	const char *path = strcmp(j->output, "-") ? j->output : "stdout";

	if (j->chart.shortest)
		fprintf(stderr,
			"softpt: %s: %" PRIu64 " calls in %zu slices; calls below %" PRIu64
			" %s are merged (--slices)\n", path, j->chart.calls, j->chart.slices,
			softpt_perf_time(j->in.perf, j->chart.begin + j->chart.shortest) -
			softpt_perf_time(j->in.perf, j->chart.begin), page_unit(j->in.perf));
	else
		fprintf(stderr, "softpt: %s: %" PRIu64 " calls\n", path, j->chart.calls);
}

static int with_input(struct job *j)
{
	int err = draw(j), status = err ? EXIT_REFUSED : 0;

	if (err == -ENOMEM)
		refuse(j->path, "%s", strerror(ENOMEM));
	else if (!err || err == -EILSEQ)
		status |= write_output(j);
	if (!status || err == -EILSEQ)
		tell(j);
	if (j->report)
		report_free(j->report);
	coverage_free(j->coverage);
	page_functions_free(&j->functions);
	page_source_free(&j->source);
	page_insns_free(&j->insns);
	chart_free(&j->lengths);
	chart_free(&j->chart);
	return status;
}

/* ---- options ---- */

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'o':
		j->output = optarg;
		return 0;
	case 'n':
		if (!softpt_number_within(optarg, 1000, 100000000, &j->slices))
			return misuse(cmd, "--slices %s: 1000 to 100000000", optarg);
		return 0;
	case NO_SOURCE:
		j->no_source = true;
		return 0;
	case 'r':
		j->root = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .root = "", .output = OUTPUT, .slices = SLICES };
	int id, status;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	j.path = only_operand(cmd, argc, argv, "FILE");
	if (!j.path)
		return EXIT_USAGE;
	if (spare_input(j.path, j.output) || open_input(&j.in, j.path))
		return EXIT_REFUSED;
	status = with_input(&j);
	input_close(&j.in);
	return status;
}

const struct command command_view = {
	.name = "view",
	.args = "FILE",
	.what = "write a page for a browser: calls in time, a flame graph, functions",
	.more = "FILE is what softpt record or perf record wrote. The page is one file that needs neither a\n"
		"server nor a network. It has each thread's calls in time, with bounds, a flame graph by\n"
		"instructions, and the functions in a table; / searches, ? lists the keys. A click on a call\n"
		"shows the instructions of its function, and how often each was executed, and its lines, where\n"
		"the program was built with -g: the page has text of source files that are on this machine.\n"
		"A page with all of some million calls would be too large for a browser: the N longest\n"
		"calls are shown as they are, and shorter ones that follow each other as one.",
	.options = options,
	.run = run,
};
