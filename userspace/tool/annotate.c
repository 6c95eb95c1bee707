// SPDX-License-Identifier: BSD-2-Clause
/* softpt annotate: how often each instruction and each line of functions was executed */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "annotate/view.h"
#include "base/number.h"
#include "cli/input.h"
#include "cli/tool.h"
#include "flow/path.h"

#define FUNCTIONS	3	/* of text, where nobody says which or how many */

static const struct option_row options[] = {
	{ 'f', "format", "text|csv|json", "what is printed (text)" },
	{ 'l', "lines", NULL, "lines of source alone, as text" },
	{ 'n', "limit", "N", "N functions at most, 0: all (of text without FUNCTION: 3)" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

struct job {
	const char *path, *root;
	bool limited;
	struct input in;
	struct coverage *coverage;
	struct annotate_view view;
};

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	const struct job *j = context;

	return coverage_take(j->coverage, row);
}

static int walk(struct job *j)
{
	struct flow_path path = {
		.in = &j->in, .root = j->root, .wanted = COVERAGE_ROWS, .row = take_row,
		.context = j, .errors = &tool_errors,
	};
	int err = flow_path_walk(&path);

	if ((!err || err == -EILSEQ) && coverage_finish(j->coverage))
		return refuse(j->path, "%s", strerror(ENOMEM)), -ENOMEM;
	return err;
}

static bool any(const struct annotate_view *v)
{
	size_t i;

	for (i = 0; i < coverage_functions(v->coverage); i++)
		if (annotate_shows(v, coverage_function(v->coverage, i)))
			return true;
	return false;
}

static int print(struct job *j)
{
	struct annotate_view *v = &j->view;
	int i, err;

	v->coverage = j->coverage;
	for (i = 0; i < v->patterns; i++) {
		struct annotate_view one = *v;

		one.pattern = &v->pattern[i];
		one.patterns = 1;
		if (!any(&one))
			return refuse(j->path, "nothing that ran is named %s (softpt report lists all)",
				      v->pattern[i]);
	}
	if (!j->limited)
		v->limit = v->format == ANNOTATE_TEXT && !v->patterns ? FUNCTIONS : UINT64_MAX;
	err = (v->format == ANNOTATE_TEXT ? annotate_text : annotate_data)(v);
	return err ? refuse(j->path, "%s", strerror(-err)) : 0;
}

/* What could be followed is printed although the path is lost somewhere; the exit status tells. */
static int with_input(struct job *j)
{
	int err, status;

	j->coverage = coverage_new();
	if (!j->coverage)
		return refuse(j->path, "%s", strerror(ENOMEM));
	err = walk(j);
	status = err ? EXIT_REFUSED : 0;
	if (!err || err == -EILSEQ)
		status |= print(j);
	coverage_free(j->coverage);
	return status;
}

static int choose_format(const struct command *cmd, struct annotate_view *v)
{
	if (!strcmp(optarg, "text"))
		v->format = ANNOTATE_TEXT;
	else if (!strcmp(optarg, "csv"))
		v->format = ANNOTATE_CSV;
	else if (!strcmp(optarg, "json"))
		v->format = ANNOTATE_JSON;
	else
		return misuse(cmd, "--format %s: text, csv or json", optarg);
	return 0;
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'f':
		return choose_format(cmd, &j->view);
	case 'l':
		j->view.lines = true;
		return 0;
	case 'n':
		if (!softpt_number_within(optarg, 0, INT32_MAX, &j->view.limit))
			return misuse(cmd, "--limit %s: a number of functions, 0: all", optarg);
		if (!j->view.limit)
			j->view.limit = UINT64_MAX;
		j->limited = true;
		return 0;
	case 'r':
		j->root = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .root = "" };
	int id, status;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	if (optind == argc)
		return misuse(cmd, "FILE is missing");
	if (j.view.lines && j.view.format != ANNOTATE_TEXT)
		return misuse(cmd, "--lines is of text; csv and json have the line of each instruction");
	j.path = argv[optind];
	j.view.pattern = argv + optind + 1;
	j.view.patterns = argc - optind - 1;
	if (open_input(&j.in, j.path))
		return EXIT_REFUSED;
	status = with_input(&j);
	input_close(&j.in);
	return status;
}

const struct command command_annotate = {
	.name = "annotate",
	.args = "FILE [FUNCTION...]",
	.what = "print how often each instruction and line of functions was executed",
	.more = "FILE is what softpt record or perf record wrote; FUNCTION is a name, * and ? as in a shell.\n"
		"Without one, the functions with the most instructions are printed.\n"
		"TIMES are exact, not samples. TAKEN is how often a conditional branch was taken. Code is\n"
		"that of the files that were mapped, with addresses as they were linked; lines of source\n"
		"are there where the program was built with -g. A line has the TIMES of that of its\n"
		"instructions that was executed most.\n"
		"Of code without a name only what was executed is printed.",
	.options = options,
	.run = run,
};
