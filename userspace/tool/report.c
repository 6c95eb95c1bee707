// SPDX-License-Identifier: BSD-2-Clause
/* softpt report: what the functions of a program cost, in instructions and time */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/perf.h>

#include "base/number.h"
#include "cli/input.h"
#include "cli/jobs.h"
#include "cli/tool.h"
#include "flow/kernel/events.h"
#include "flow/path.h"
#include "report/data.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/syscalls.h"
#include "report/text.h"

#define LINES		30	/* of text, where nobody says how many */
#define TREE_PERCENT	1

enum {
	OPTION_PER_CALL = 256,
	OPTION_CALLERS,
	OPTION_CALLEES,
	OPTION_TREE,
	OPTION_SYSCALLS,
};

static const struct option_row options[] = {
	{ 'f', "format", "text|csv|json", "what is printed (text)" },
	{ 'b', "by", "function|thread|module|file",
	  "what a line is of (function); a file is one of the source" },
	{ 's', "sort", "KEY", "what comes first; the keys are below (self)" },
	{ 'n', "limit", "N", "N lines at most, 0: all (of text without --tree: 30)" },
	{ 'p', "percent", "P", "no lines below P % of all instructions (0; --tree as text: 1)" },
	{ 'F', "function", "PATTERN", "lines of these names only; * and ? as in a shell" },
	{ 't', "tid", "N", "this thread only" },
	{ 'L', "lines", NULL, "also the line of source that a function begins with" },
	{ OPTION_PER_CALL, "per-call", NULL,
	  "as text: the smallest, the median and the largest call" },
	{ OPTION_CALLERS, "callers", NULL, "who called each function" },
	{ OPTION_CALLEES, "callees", NULL, "whom each function called" },
	{ OPTION_TREE, "tree", NULL, "the tree of calls" },
	{ OPTION_SYSCALLS, "syscalls", NULL, "in place of functions: the system calls" },
	{ 'j', "jobs", "N", "threads that walk (1)" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

struct job {
	const char *path;
	uint64_t tid;
	bool limited, cut;
	struct input in;
	struct flow_path walk;
	struct report *report;
	struct report_syscalls *syscalls;
	struct view view;
};

/* ---- the work ---- */

static bool take_syscall(void *context, const struct softpt_flow_row *row)
{
	struct job *j = context;

	return report_syscalls_take(j->syscalls, row);
}

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct job *j = context;

	return report_take(j->report, row);
}

/* Nanoseconds of a tick; 0 where the file does not know the clock */
static double ns_of(const struct softpt_perf *perf)
{
	const uint64_t ticks = 1 << 30, ns = softpt_perf_time(perf, ticks) -
					     softpt_perf_time(perf, 0);

	return ns == ticks ? 0 : (double)ns / ticks;
}

static void set_defaults(struct view *v, const struct job *j)
{
	const bool text = v->format == VIEW_TEXT;

	if (!j->limited)
		v->limit = text && v->what != VIEW_TREE ? LINES : UINT64_MAX;
	if (!j->cut)
		v->percent = text && v->what == VIEW_TREE ? TREE_PERCENT : 0;
	v->report = j->report;
	v->ns = ns_of(j->in.perf);
}

static int walk_rows(struct job *j, uint32_t wanted, softpt_flow_row_fn row)
{
	j->walk.in = &j->in;
	j->walk.wanted = wanted;
	j->walk.row = row;
	j->walk.context = j;
	j->walk.slice.tid = j->tid;
	j->walk.errors = &tool_errors;
	return flow_path_walk(&j->walk);
}

static int walk(struct job *j)
{
	int err = walk_rows(j, REPORT_ROWS | (j->view.kernel ? REPORT_WAITS : 0), take_row);

	if ((!err || err == -EILSEQ) && report_finish(j->report))
		return refuse(j->path, "%s", strerror(ENOMEM)), -ENOMEM;
	return err;
}

static int print(struct job *j)
{
	int err;

	set_defaults(&j->view, j);
	if (j->view.pattern && !lines_any(&j->view))
		return refuse(j->path, "nothing that ran is named %s (softpt report lists all)",
			      j->view.pattern);
	err = (j->view.format == VIEW_TEXT ? text_print : data_print)(&j->view);
	return err ? refuse(j->path, "%s", strerror(-err)) : 0;
}

static int print_syscalls(struct job *j)
{
	struct view *v = &j->view;
	int err;

	v->syscalls = j->syscalls;
	set_defaults(v, j);
	if (j->tid && !report_syscalls_count(j->syscalls))
		return refuse(j->path, "thread %" PRIu64 " makes no system call in it (--by thread lists all)",
			      j->tid);
	if (v->pattern && !syscalls_any(v))
		return refuse(j->path, "no system call that was made is named %s", v->pattern);
	err = syscalls_print(v);
	return err ? refuse(j->path, "%s", strerror(-err)) : 0;
}

/* What could be followed is printed although the path is lost somewhere; the exit status tells. */
static int with_syscalls(struct job *j)
{
	int err;

	j->syscalls = report_syscalls_new(j->tid);
	if (!j->syscalls)
		return refuse(j->path, "%s", strerror(ENOMEM));
	err = walk_rows(j, REPORT_SYSCALL_ROWS, take_syscall);
	if ((!err || err == -EILSEQ) && print_syscalls(j))
		err = -EINVAL;
	report_syscalls_free(j->syscalls);
	return err ? EXIT_REFUSED : 0;
}

/* The same */
static int with_functions(struct job *j)
{
	enum report_links links = REPORT_EDGES;
	int err;

	if (j->view.what == VIEW_FLAT || j->view.what == VIEW_TREE)
		links = j->view.what == VIEW_FLAT ? REPORT_NO_LINKS : REPORT_TREE;
	j->report = report_new(j->view.by, links, j->tid);
	if (!j->report)
		return refuse(j->path, "%s", strerror(ENOMEM));
	if (j->view.lines)
		report_want_lines(j->report);
	err = walk(j);
	if ((!err || err == -EILSEQ) && j->tid && !report_totals(j->report)->threads)
		err = refuse(j->path, "thread %" PRIu64 " is not in it (--by thread lists all)",
			     j->tid);
	else if ((!err || err == -EILSEQ) && print(j))
		err = -ENOMEM;
	report_free(j->report);
	return err ? EXIT_REFUSED : 0;
}

static int with_input(struct job *j)
{
	j->view.kernel = kernel_events_any(&j->in);
	if (view_sorts_kernel(&j->view) && !j->view.kernel)
		return refuse(j->path, "--sort user, kernel and wait are for recordings of softpt record --kernel");
	return j->view.what == VIEW_SYSCALLS ? with_syscalls(j) : with_functions(j);
}

/* ---- options ---- */

static int find(const char *const *names, unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int choose_format(const struct command *cmd, struct job *j)
{
	static const char *const names[] = { "text", "csv", "json" };
	int i = find(names, 3, optarg);

	if (i < 0)
		return misuse(cmd, "--format %s: text, csv or json", optarg);
	j->view.format = i;
	return 0;
}

static int choose_by(const struct command *cmd, struct job *j)
{
	static const char *const names[] = { "function", "thread", "module", "file" };
	int i = find(names, REPORT_BY_NR, optarg);

	if (i < 0)
		return misuse(cmd, "--by %s: function, thread, module or file", optarg);
	j->view.by = i;
	return 0;
}

static int choose_sort(const struct command *cmd, struct job *j)
{
	static const char *const names[] = {
#define X(id, name) name,
		VIEW_SORTS(X)
#undef X
	};
	int i = find(names, VIEW_SORT_NR, optarg);

	if (i < 0)
		return misuse(cmd, "--sort %s: no such key", optarg);
	j->view.sort = i;
	return 0;
}

static int choose_limit(const struct command *cmd, struct job *j)
{
	if (!softpt_number_within(optarg, 0, INT32_MAX, &j->view.limit))
		return misuse(cmd, "--limit %s: a number of lines, 0: all", optarg);
	if (!j->view.limit)
		j->view.limit = UINT64_MAX;
	j->limited = true;
	return 0;
}

static int choose_percent(const struct command *cmd, struct job *j)
{
	char *end;

	j->view.percent = strtod(optarg, &end);
	if (end == optarg || *end || !(j->view.percent >= 0 && j->view.percent <= 100))
		return misuse(cmd, "--percent %s: a number from 0 to 100", optarg);
	j->cut = true;
	return 0;
}

static int choose_what(const struct command *cmd, struct job *j, enum view_what what)
{
	if (j->view.what != VIEW_FLAT && j->view.what != what)
		return misuse(cmd, "one of --callers, --callees, --tree and --syscalls");
	j->view.what = what;
	return 0;
}

static int choose_tid(const struct command *cmd, struct job *j)
{
	if (!softpt_number_within(optarg, 1, INT32_MAX, &j->tid))
		return misuse(cmd, "--tid %s: a number from 1 on", optarg);
	return 0;
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'f':
		return choose_format(cmd, j);
	case 'b':
		return choose_by(cmd, j);
	case 's':
		return choose_sort(cmd, j);
	case 'n':
		return choose_limit(cmd, j);
	case 'p':
		return choose_percent(cmd, j);
	case 'F':
		j->view.pattern = optarg;
		return 0;
	case 't':
		return choose_tid(cmd, j);
	case 'L':
		j->view.lines = true;
		return 0;
	case OPTION_PER_CALL:
		j->view.per_call = true;
		return 0;
	case OPTION_CALLERS:
		return choose_what(cmd, j, VIEW_CALLERS);
	case OPTION_CALLEES:
		return choose_what(cmd, j, VIEW_CALLEES);
	case OPTION_TREE:
		return choose_what(cmd, j, VIEW_TREE);
	case OPTION_SYSCALLS:
		return choose_what(cmd, j, VIEW_SYSCALLS);
	case 'j':
		return choose_jobs(cmd, optarg, &j->walk.threads);
	case 'r':
		j->walk.root = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

/* Options that do not go together */
static int check(const struct command *cmd, const struct job *j)
{
	const struct view *v = &j->view;

	if (v->per_call && (v->what != VIEW_FLAT || v->format != VIEW_TEXT))
		return misuse(cmd, "--per-call is of text, without --callers, --callees, --tree and --syscalls");
	if (v->what != VIEW_SYSCALLS)
		return 0;
	if (v->by != REPORT_BY_FUNCTION || v->lines || j->cut)
		return misuse(cmd, "--syscalls goes without --by, --lines and --percent");
	if (!syscalls_sort_by(v->sort))
		return misuse(cmd, "--syscalls has no such --sort (softpt help report)");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .walk = { .root = "", .threads = 1 } };
	int id, status;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	if (check(cmd, &j))
		return EXIT_USAGE;
	j.path = only_operand(cmd, argc, argv, "FILE");
	if (!j.path)
		return EXIT_USAGE;
	if (open_input(&j.in, j.path))
		return EXIT_REFUSED;
	status = with_input(&j);
	input_close(&j.in);
	return status;
}

const struct command command_report = {
	.name = "report",
	.args = "FILE",
	.what = "print what functions cost: calls, instructions, times",
	.more = "FILE is what softpt record or perf record wrote. A line is of a function: SELF instructions\n"
		"of its own, their share of all, the TOTAL with what it called, CALLS, and times. A function\n"
		"that calls itself counts once in TOTAL.\n"
		"Instructions and calls are exact. Times are those of the recording: a program that is\n"
		"stepped or translated takes longer than alone, and not everywhere by the same factor. So\n"
		"lines are sorted by instructions. ± says how far off a time may be, ?: nothing bounds it.\n"
		"SELF TIME is time in which the function was traced. TOTAL TIME is from call to return;\n"
		"UNTRACED is the part in which the thread was in the kernel, waited, or did not run.\n"
		"Of a recording with --kernel there are USER, KERNEL and WAIT in its place: parts of TOTAL TIME;\n"
		"WAIT is without a CPU.\n"
		"KEY: self, total, calls, median and max (of calls) by instructions; self-time, total-time,\n"
		"untraced, median-time, max-time; name; with --kernel also user, kernel, wait.\n"
		"--syscalls: KEY is total-time (if left out), calls, median-time, max-time, name, kernel, wait.\n"
		"Of a recording without --kernel numbers are those that the code loads before the call.\n"
		"--per-call: CUT is calls whose begin or end is not in the recording, or that lost\n"
		"something; they are not in MIN, MEDIAN and MAX, which are of the instructions and times of\n"
		"whole calls. The median of more than 64 calls is right to 1.6 %.",
	.options = options,
	.run = run,
};
