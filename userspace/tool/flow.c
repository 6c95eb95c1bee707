// SPDX-License-Identifier: BSD-2-Clause
/* softpt flow: the path of a program, by function names, with times and bounds */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "base/number.h"
#include "flow/kept.h"
#include "flow/moment.h"
#include "flow/print.h"
#include "port-print.h"
#include "cli/input.h"
#include "cli/jobs.h"
#include "cli/tool.h"

enum {
	OPTION_CALLS = 256,
	OPTION_BLOCKS,
	OPTION_INSN,
	OPTION_RELATIVE,
};

static const struct option_row options[] = {
	{ 'f', "format", "text|json", "what is printed (text)" },
	{ 'l', "level", "calls|branches|blocks|insn",
	  "every function entered (calls), branch taken, basic block, or instruction" },
	{ OPTION_CALLS, "calls", NULL, "--level calls" },
	{ OPTION_BLOCKS, "blocks", NULL, "--level blocks" },
	{ OPTION_INSN, "insn", NULL, "--level insn" },
	{ 'R', "returns", NULL, "also where functions are left, and how long they took" },
	{ 'L', "lines", NULL, "also lines of source, with the functions that are inlined there" },
	{ 'n', "limit", "N", "N lines at most" },
	{ 'd', "depth", "N", "no deeper than N calls" },
	{ 'F', "from", "FUNCTION|TIME", "begin where FUNCTION is entered, or at a time" },
	{ 'T', "to", "TIME", "end at a time" },
	{ 'a', "range", "FROM-TO", "lines of these addresses only" },
	{ 't', "tid", "N", "lines of this thread only" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 'j', "jobs", "N", "threads that walk (1)" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ OPTION_RELATIVE, "relative", NULL, "times from the trigger event on, which is a line" },
	{ 'i', "image", "PROGRAM", "of a trace port: the 32-bit PowerPC program that ran" },
	{ 0 }
};

struct flow {
	const char *path, *function, *image;
	struct moment from, to;
	bool stats, returns, begun, ranged, relative, marked;
	struct trigger_event te;
	struct softpt_flow_row last;	/* where @relative; not what it points to */
	uint32_t level;
	uint64_t limit, depth_limit, printed, tid, low, high;
	uint64_t first_tsc, last_tsc;	/* of @from to @to, once the begin is known */
	struct input in;
	struct flow_path walk;
	struct flow_printer printer;
	struct kept_index kept;
};

#define ROW(id) (1u << SOFTPT_FLOW_##id)
#define ROWS_ALWAYS (ROW(KERNEL) | ROW(INTERRUPT) | ROW(ABORT) | ROW(OVERFLOW) | \
		     ROW(LOST) | ROW(PTW) | ROW(SYSCALL) | ROW(SWITCH_OUT) | ROW(SWITCH_IN) | \
		     ROW(FAULT) | ROW(IRQ))
#define ROWS_CALLS (ROWS_ALWAYS | ROW(CALL) | ROW(JUMP) | ROW(BEGIN))

static const struct level {
	const char *name;
	uint32_t rows;
} levels[] = {
	{ "calls", ROWS_CALLS },
	{ "branches", ROWS_CALLS | ROW(BRANCH) },
	{ "blocks", ROWS_ALWAYS | ROW(BLOCK) },
	{ "insn", ROWS_ALWAYS | ROW(INSN) },
};

/* ---- what is printed ---- */

/* Return: whether this is where --from says: a symbol, or what people call it */
static bool is_function(const struct flow *f, const struct softpt_flow_row *row)
{
	const size_t len = strlen(f->function);
	struct softpt_symbol sym;

	softpt_flow_symbol(row, row->ip, &sym);
	if (!sym.name || sym.start != row->ip)
		return false;
	return !strcmp(sym.label, f->function) ||
	       (!strncmp(sym.name, f->function, len) && (!sym.name[len] || sym.name[len] == '@'));
}

static bool is_chosen(struct flow *f, const struct softpt_flow_row *row)
{
	if (row->event == SOFTPT_FLOW_ON)
		return false;
	if (f->tid && row->tid != f->tid)
		return false;
	if (f->function && !is_function(f, row))
		return false;
	f->function = NULL;
	if (row->when.tsc < f->first_tsc)
		return false;
	if (f->ranged && (row->ip < f->low || row->ip > f->high))
		return false;
	return !f->depth_limit || row->depth <= f->depth_limit;
}

/* The trigger event, once */
static void print_te(struct flow *f)
{
	if (f->relative && f->begun && !f->marked)
		flow_print_trigger(&f->printer, &f->te, &f->last);
	f->marked = true;
}

/* @tsc: of the first row of all */
static void begin(struct flow *f, uint64_t tsc)
{
	f->printer.begin = f->relative ? f->te.rec.tsc : tsc;
	f->printer.tids = f->walk.many;
	flow_print_begin(&f->printer);
	f->first_tsc = f->from.given ? moment_first(&f->from, &f->printer) : 0;
	f->last_tsc = f->to.given ? moment_last(&f->to, &f->printer) : UINT64_MAX;
	f->begun = true;
}

/* Return: whether there is more to do; --stats counts to the end */
static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct flow *f = context;

	if (!f->begun)
		begin(f, row->when.tsc);
	if (f->relative)
		f->last = *row;
	if (f->relative && row->when.tsc > f->te.rec.tsc)
		print_te(f);
	if (row->when.tsc > f->last_tsc || (f->limit && f->printed >= f->limit))
		return f->stats;
	if (!is_chosen(f, row))
		return true;
	f->printed++;
	flow_print(&f->printer, row);
	return f->stats || !f->limit || f->printed < f->limit;
}

/* ---- what is walked for it ---- */

struct first {
	bool found;
	uint64_t tsc;
};

static bool take_first(void *context, const struct softpt_flow_row *row)
{
	*(struct first *)context = (struct first){ .found = true, .tsc = row->when.tsc };
	return false;
}

/* Times are told from the first row on, also where the walk begins behind it or leaves it out. */
static bool find_begin(struct flow *f)
{
	struct flow_path path = f->walk;
	struct first first = { .found = false };

	path.row = take_first;
	path.context = &first;
	path.errors = NULL;
	flow_path_walk(&path);
	f->walk.many = path.many;
	if (first.found)
		begin(f, first.tsc);
	return first.found;
}

/* --stats counts all, and the trigger event is behind the row before it. */
static void choose_slice(struct flow *f)
{
	if (f->stats || f->relative || (!f->tid && !f->from.given) || !find_begin(f))
		return;
	f->walk.slice.tid = f->tid;
	if (!f->from.given)
		return;
	kept_index_open(&f->kept, &f->in, f->walk.root);
	f->walk.slice.index = f->kept.index;
	f->walk.slice.from = f->first_tsc;
}

/* Of all threads together */
static void tell_times(const struct flow *f)
{
	const struct softpt_flow_totals *t = &f->walk.totals;
	const double unit = f->printer.ticks ? 1 : 1000;

	fprintf(stderr, "softpt: %s: user mode %.3f, kernel %.3f, waiting %.3f %s\n", f->path,
		flow_between(&f->printer, 0, t->user) / unit,
		flow_between(&f->printer, 0, t->kernel) / unit,
		flow_between(&f->printer, 0, t->waiting) / unit, f->printer.ticks ? "ticks" : "us");
}

static void tell(const struct flow *f)
{
	const struct softpt_flow_totals *t = &f->walk.totals;

	fprintf(stderr,
		"softpt: %s: instructions %" PRIu64 ", branches %" PRIu64 ", calls %" PRIu64
		", lost %" PRIu64 ", widest bound of one with a packet %.0f %s",
		f->path, t->instructions, t->branches, t->calls, t->lost,
		flow_between(&f->printer, 0, t->widest), f->printer.ticks ? "ticks" : "ns");
	if (t->undone)
		fprintf(stderr, ", instructions of aborted transactions %" PRIu64, t->undone);
	fputc('\n', stderr);
	if (t->user)
		tell_times(f);
}

static int with_input(struct flow *f)
{
	int status;

	f->printer.perf = f->in.perf;
	f->walk.in = &f->in;
	f->walk.wanted = f->level | ROW(ON) | (f->returns ? ROW(RETURN) : 0);
	f->walk.row = take_row;
	f->walk.context = f;
	if (f->relative && find_te(&f->te, &f->in, NULL))
		return EXIT_REFUSED;
	f->walk.errors = &tool_errors;
	choose_slice(f);
	status = flow_path_walk(&f->walk) ? EXIT_REFUSED : 0;
	kept_index_close(&f->kept);
	if (!status || f->begun)
		print_te(f);
	flow_print_end(&f->printer);
	if (f->stats && (!status || f->begun))
		tell(f);
	if (!status && f->function)
		status = refuse(f->path, "%s is not entered in it (softpt report lists functions)",
				f->function);
	return status;
}

/* ---- options ---- */

static int choose_level(const struct command *cmd, struct flow *f, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(levels[i].name, name)) {
			f->level = levels[i].rows;
			return 0;
		}
	return misuse(cmd, "--level %s: calls, branches, blocks or insn", name);
}

static int choose_format(const struct command *cmd, struct flow *f)
{
	f->printer.json = !strcmp(optarg, "json");
	if (!f->printer.json && strcmp(optarg, "text"))
		return misuse(cmd, "--format %s: text or json", optarg);
	return 0;
}

static int choose_time(const struct command *cmd, const char *option, struct moment *m)
{
	if (moment_parse(m, optarg))
		return 0;
	if (m->relative)
		return misuse(cmd, "--%s %s: a number after the +", option, optarg);
	return misuse(cmd, "--%s %s: a TSC, or + and a time of the text's first column", option,
		      optarg);
}

/* No function's name begins with a digit. */
static int choose_from(const struct command *cmd, struct flow *f)
{
	if (*optarg == '+' || (*optarg >= '0' && *optarg <= '9'))
		return choose_time(cmd, "from", &f->from);
	f->function = optarg;
	return 0;
}

static int choose_range(const struct command *cmd, struct flow *f)
{
	const char *p = optarg;

	f->ranged = true;
	if (!softpt_number(&p, &f->low) || *p++ != '-' ||
	    !softpt_number_within(p, f->low, UINT64_MAX, &f->high))
		return misuse(cmd, "--range %s: FROM-TO, the first address and the last", optarg);
	return 0;
}

static int choose_number(const struct command *cmd, uint64_t *to)
{
	if (!softpt_number_within(optarg, 1, INT32_MAX, to))
		return misuse(cmd, "%s: a number from 1 on", optarg);
	return 0;
}

static int take_option(const struct command *cmd, struct flow *f, int id)
{
	switch (id) {
	case 'f':
		return choose_format(cmd, f);
	case 'l':
		return choose_level(cmd, f, optarg);
	case OPTION_CALLS:
		return choose_level(cmd, f, "calls");
	case OPTION_BLOCKS:
		return choose_level(cmd, f, "blocks");
	case OPTION_INSN:
		return choose_level(cmd, f, "insn");
	case 'R':
		f->returns = true;
		return 0;
	case 'L':
		f->printer.lines = true;
		return 0;
	case 'n':
		return choose_number(cmd, &f->limit);
	case 'd':
		return choose_number(cmd, &f->depth_limit);
	case 't':
		return choose_number(cmd, &f->tid);
	case 'F':
		return choose_from(cmd, f);
	case 'T':
		return choose_time(cmd, "to", &f->to);
	case 'a':
		return choose_range(cmd, f);
	case 'r':
		f->walk.root = optarg;
		return 0;
	case 'j':
		return choose_jobs(cmd, optarg, &f->walk.threads);
	case 's':
		f->stats = true;
		return 0;
	case OPTION_RELATIVE:
		f->relative = true;
		return 0;
	case 'i':
		f->image = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

/* Instructions, from one SE or all */
static int with_port(const struct command *cmd, const struct flow *f)
{
	struct port_flow p = {
		.in = &f->in, .image = f->image, .limit = f->limit, .stats = f->stats,
		.from = f->from.given ? f->from.tsc : 0, .to = f->to.given ? f->to.tsc : UINT64_MAX,
	};

	if (!f->image)
		return misuse(cmd, "--image names the program that a trace port belongs to");
	if (f->from.relative || f->to.relative || f->function)
		return misuse(cmd, "of a trace port, --from and --to are clocks");
	return port_flow(&p);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct flow f = {
		.level = ROWS_CALLS, .walk = { .root = "", .threads = 1 },
	};
	int id, status;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &f, id))
			return EXIT_USAGE;
	f.path = only_operand(cmd, argc, argv, "FILE");
	if (!f.path)
		return EXIT_USAGE;
	if (open_input(&f.in, f.path))
		return EXIT_REFUSED;
	status = port_is(&f.in) ? with_port(cmd, &f) : with_input(&f);
	input_close(&f.in);
	return status;
}

const struct command command_flow = {
	.name = "flow",
	.args = "FILE",
	.what = "print the path of a program, by function names, with times",
	.more = "FILE is what softpt record wrote. A line is a function that is entered, by a call or a\n"
		"jump, or time spent in the kernel: when, how far off that may be, the CPU, the thread\n"
		"if there are several, the name. Functions of a stripped file have no names:\n"
		"MODULE+OFFSET. The code is read from the program's files, which must be the ones that\n"
		"ran. TIME is a TSC, or + and a time as the first column has it. Of a recording in\n"
		"translation the first walk to a TIME leaves an index in ~/.cache/softpt, and the next one\n"
		"begins near its TIME.\n"
		"Of record --kernel, lines are also system calls, what a thread waits for when it has no\n"
		"CPU, its page faults, and interrupts that it met.\n"
		"Of a trace port (sim -c format=port) lines are instructions: clock, address, code; those\n"
		"between triggers and what can't be known. --from is a clock: the walk begins at the\n"
		"first synchronizing event from there on.",
	.options = options,
	.run = run,
};
