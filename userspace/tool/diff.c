// SPDX-License-Identifier: BSD-2-Clause
/* softpt diff: what changed between two runs of a program, and where their paths part */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/input.h"
#include "cli/tool.h"
#include "diff/part.h"
#include "diff/print.h"
#include "diff/side.h"

#define LINES		30	/* of text, where nobody says how many */
#define EXIT_MORE	3	/* --fail-over */

enum {
	OPTION_EXACT = 256,
	OPTION_NO_PATH,
	OPTION_FAIL_OVER,
};

static const struct option_row options[] = {
	{ 'f', "format", "text|csv|json", "what is printed (text)" },
	{ 'b', "by", "function|module|file", "what costs are compared of (function)" },
	{ 'n', "limit", "N", "N lines at most, 0: all (of text: 30)" },
	{ 'F', "function", "PATTERN", "costs of these names only; * and ? as in a shell" },
	{ OPTION_EXACT, "exact", NULL,
	  "paths differ where the instructions between two calls do, too" },
	{ OPTION_NO_PATH, "no-path", NULL, "costs alone, not where the paths part" },
	{ OPTION_FAIL_OVER, "fail-over", "P",
	  "exit status 3 if B executed more than P % more instructions than A" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

struct job {
	enum diff_format format;
	enum report_by by;
	bool limited, exact, no_path, gate;
	uint64_t limit;
	double fail_over;
	const char *pattern, *root;
	const char *path[2];
	struct diff_side side[2];
	struct changes changes;
	struct diff_parts parts;
};

/* ---- the work ---- */

/* Return: exit status */
static int judge(const struct job *j)
{
	const uint64_t a = report_totals(j->side[0].report)->instructions;
	const uint64_t b = report_totals(j->side[1].report)->instructions;
	const double percent = change_percent(a, b);

	if (!j->gate || percent <= j->fail_over)
		return 0;
	fprintf(stderr, "softpt: %s: %+.3f %% instructions against %s (--fail-over %g)\n",
		j->path[1], percent, j->path[0], j->fail_over);
	return EXIT_MORE;
}

static int print(const struct job *j)
{
	const struct diff_view view = {
		.side = j->side, .changes = &j->changes, .parts = &j->parts,
		.limit = j->limited ? j->limit : j->format == DIFF_TEXT ? LINES : UINT64_MAX,
	};

	if (j->format == DIFF_TEXT)
		return diff_text(&view);
	diff_data(&view, j->format);
	return 0;
}

static int compare(struct job *j)
{
	const struct report *const reports[] = { j->side[0].report, j->side[1].report };
	int err = changes_find(reports, j->by, j->pattern, &j->changes);

	if (!err && !j->no_path)
		err = diff_parts_find(j->side, &j->parts);
	if (!err)
		err = print(j);
	return err ? refuse(j->path[1], "%s", strerror(-err)) : judge(j);
}

/* What could be followed is compared although a path is lost somewhere; the exit status tells. */
static int with_inputs(struct job *j)
{
	bool lost = false;
	unsigned int i;
	int err, status;

	for (i = 0; i < 2; i++) {
		err = diff_side_walk(&j->side[i]);
		if (err && err != -EILSEQ)
			return EXIT_REFUSED;
		lost |= err;
	}
	status = compare(j);
	return status ? status : lost ? EXIT_REFUSED : 0;
}

static int with_files(struct job *j)
{
	struct input in[2];
	unsigned int i, opened;
	int status = 0;

	for (opened = 0; opened < 2 && !status; opened += !status)
		status = open_input(&in[opened], j->path[opened]);
	for (i = 0; i < 2; i++)
		j->side[i] = (struct diff_side){
			.in = &in[i], .root = j->root, .errors = &tool_errors, .by = j->by,
			.counts = j->exact,
		};
	if (!status)
		status = with_inputs(j);
	diff_parts_free(&j->parts);
	changes_free(&j->changes);
	for (i = 0; i < 2; i++)
		diff_side_free(&j->side[i]);
	while (opened)
		input_close(&in[--opened]);
	return status;
}

/* ---- options ---- */

static int choose_by(const struct command *cmd, struct job *j)
{
	if (!strcmp(optarg, "function"))
		j->by = REPORT_BY_FUNCTION;
	else if (!strcmp(optarg, "module"))
		j->by = REPORT_BY_MODULE;
	else if (!strcmp(optarg, "file"))
		j->by = REPORT_BY_FILE;
	else
		return misuse(cmd, "--by %s: function, module or file", optarg);
	return 0;
}

static int choose_format(const struct command *cmd, struct job *j)
{
	if (!strcmp(optarg, "text"))
		j->format = DIFF_TEXT;
	else if (!strcmp(optarg, "csv"))
		j->format = DIFF_CSV;
	else if (!strcmp(optarg, "json"))
		j->format = DIFF_JSON;
	else
		return misuse(cmd, "--format %s: text, csv or json", optarg);
	return 0;
}

static int choose_limit(const struct command *cmd, struct job *j)
{
	if (!softpt_number_within(optarg, 0, INT32_MAX, &j->limit))
		return misuse(cmd, "--limit %s: a number of lines, 0: all", optarg);
	if (!j->limit)
		j->limit = UINT64_MAX;
	j->limited = true;
	return 0;
}

static int choose_fail_over(const struct command *cmd, struct job *j)
{
	char *end;

	j->gate = true;
	j->fail_over = strtod(optarg, &end);
	if (end != optarg && !strcmp(end, "%"))
		end++;
	if (end == optarg || *end || !(j->fail_over >= 0 && j->fail_over <= 1e9))
		return misuse(cmd, "--fail-over %s: percent, as 0.5", optarg);
	return 0;
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'f':
		return choose_format(cmd, j);
	case 'b':
		return choose_by(cmd, j);
	case 'n':
		return choose_limit(cmd, j);
	case 'F':
		j->pattern = optarg;
		return 0;
	case OPTION_EXACT:
		j->exact = true;
		return 0;
	case OPTION_NO_PATH:
		j->no_path = true;
		return 0;
	case OPTION_FAIL_OVER:
		return choose_fail_over(cmd, j);
	case 'r':
		j->root = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .root = "" };
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	if (argc - optind != 2)
		return misuse(cmd, "two files are compared: A and B");
	j.path[0] = argv[optind];
	j.path[1] = argv[optind + 1];
	return with_files(&j);
}

const struct command command_diff = {
	.name = "diff",
	.args = "A B",
	.what = "compare two runs: what costs changed, and where their paths part",
	.more = "A and B are what softpt record or perf record wrote. Instructions and calls of functions\n"
		"that differ are printed, the largest change first; functions are the same by their names,\n"
		"so B may be a newer build. Then, for each thread, how many calls and returns both runs have\n"
		"in common, and what each did next. Threads are compared in the order in which they were\n"
		"made. Where the kernel puts a program decides some branches of string functions: setarch -R\n"
		"before the program makes two equal runs equal to the instruction (--exact).\n"
		"The exit status is 0 whether anything differs or not, 1 where a path can't be followed,\n"
		"and 3 where --fail-over says so: a gate for tests that does not flicker.",
	.options = options,
	.run = run,
};
