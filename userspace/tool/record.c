// SPDX-License-Identifier: BSD-2-Clause
/* softpt record: which program, which way, and what may be asked of it */
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <softpt/params.h>

#include "base/number.h"
#include "cli/device.h"
#include "cli/fragment.h"
#include "cli/tool.h"
#include "perfdata/zstd.h"
#include "record/file.h"
#include "record/job.h"
#include "record/translated.h"
#include "truth/file.h"

/* Options without a letter */
enum {
	NO_MODULE = 0x100,
	FREEZE,
	EAR,
	TRIGGER,
	BEFORE,
	AFTER,
	FRAGMENTS,
	ON_CRASH,
	HOW,
	KERNEL,
	IN,
	IN_LINES,
	START,
	STOP,
	CALLS,
	EVERY,
	SLOWER,
	IF,
	MAX_TIME,
};

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "perf.data file (softpt.data); - is stdout" },
	OPTION_CONFIG,
	{ 'p', "pid", "PID", "a process that runs, with all of its threads" },
	{ 't', "tid", "TID", "a thread that runs, alone" },
	{ 'a', "all-cpus", NULL, "what the kernel does, on all CPUs" },
	{ KERNEL, "kernel", NULL, "also what the kernel does meanwhile: why the program waited" },
	{ 'C', "cpu", "N", "run the program on this CPU only; with -a: record this CPU only" },
	{ 'i', "no-inherit", NULL, "neither its threads nor its children" },
	{ NO_MODULE, "no-module", NULL, "step the program with ptrace: no module, no root" },
	{ HOW, "how", "WAY",
	  "translate, module or ptrace: how the program is followed (the first that can)" },
	{ 'z', "compress", "[=LEVEL]",
	  "write a zstd stream, of level 1 to 19 (1); perf reads it behind zstd -d" },
	{ FREEZE, "freeze", "CLASS[/SUBMASK][:QUAL...][,nth=K][,delay=D]",
	  "the event that freezes the records of retired instructions" },
	{ EAR, "ear", "FILE", "these records, as CSV, for `softpt address`" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ TRIGGER, "trigger", TRIGGER_ARG, TRIGGER_WHAT },
	{ BEFORE, "before", "SIZE", BEFORE_WHAT },
	{ AFTER, "after", "SIZE", AFTER_WHAT },
	{ FRAGMENTS, "fragments", "N", "with rearm: no more than so many files (100)" },
	{ IN, "in", "[LIBRARY:]FUNCTION[,...]",
	  "record calls of these alone: names, patterns, 0xADDRESS, usdt:PROVIDER:NAME" },
	{ IN_LINES, "in-lines", "FILE:LINE[,...]",
	  "record from these lines on until the function that has the line returns" },
	{ START, "start", "PLACE[,...]",
	  "record a thread from a place on: as --in, --in-lines, or syscall:NAME" },
	{ STOP, "stop", "PLACE[,...]", "until it comes to such a place; it is native meanwhile" },
	{ CALLS, "calls", "N", "with --in: N calls, and no more; then the program is native" },
	{ EVERY, "every", "N", "with --in: the first of every N calls" },
	{ IF, "if", "CONDITION",
	  "with --in: calls whose arguments meet it ('arg1 > 100 && arg2:u32 != 0')" },
	{ SLOWER, "slower-than", "TIME", "with --in: calls that take TIME or longer (5ms)" },
	{ MAX_TIME, "max-time", "TIME",
	  "end the recording after TIME (ns, us, ms, s, m); the program goes on" },
	{ ON_CRASH, "on-crash", NULL, "what was before a signal that leaves a core" },
	{ 0 }
};

/* How a program is followed */
enum way {
	WAY_ANY,		/* the first that can be taken */
	WAY_MODULE,
	WAY_PTRACE,
	WAY_TRANSLATE,
};

struct asked {
	enum way way;
	struct record_job job;
	/* What @job.cfg is with -a, and with a trigger */
	struct softpt_config system;
	struct softpt_config triggered;
};

static bool is_truth_of(const char *name, const char *path)
{
	char beside[PATH_MAX];

	return !truth_file_name(beside, sizeof(beside), path) && !strcmp(name, beside);
}

/* ---- what does not go together ---- */

static int check_attached(const struct command *cmd, const struct asked *a)
{
	const struct record_job *job = &a->job;

	if (job->argv || job->system)
		return misuse(cmd, "a process that runs, or %s: not both",
			      job->argv ? "a command" : "all CPUs");
	if (a->way == WAY_PTRACE)
		return misuse(cmd, "--no-module starts a program: not with -p or -t");
	if (job->cpu >= 0)
		return misuse(cmd, "-C binds a program that it starts: not with -p or -t");
	return 0;
}

static int check_system(const struct command *cmd, const struct asked *a)
{
	if (a->way == WAY_PTRACE)
		return misuse(cmd, "--no-module records one program: not with -a");
	if (a->job.cfg.clock == SOFTPT_CLOCK_MODEL)
		return misuse(cmd, "clock=model is the clock of one program: not with -a");
	if (a->job.cfg.flags & SOFTPT_F_LOSSLESS)
		return misuse(cmd, "lossless=1 lets a program wait: not with -a");
	return 0;
}

static int check_freeze(const struct command *cmd, const struct asked *a)
{
	const struct record_job *job = &a->job;
	const char *path = job->freeze.path;

	if (!job->freeze.event.nth != !path)
		return misuse(cmd, "--freeze and --ear go together");
	if (!path)
		return 0;
	if (job->system || job->attached.tid || a->way == WAY_PTRACE)
		return misuse(cmd, "--freeze is for a program that the module steps from its start: not with %s",
			      job->system ? "-a" :
			      a->way == WAY_PTRACE ? "--no-module" : "-p or -t");
	if (!strcmp(path, job->path) || (job->cfg.truth && is_truth_of(path, job->path)))
		return misuse(cmd, "two outputs go to %s", path);
	if (job->trigger.set.nr && is_fragment(path, job->path))
		return misuse(cmd, "--ear %s: a name for what freezes next (rearm)", path);
	return 0;
}

static bool is_pipe(const struct record_job *job)
{
	return !strcmp(job->path, "-");
}

/* One file goes to stdout. */
static int check_pipe(const struct command *cmd, const struct record_job *job)
{
	unsigned int i;

	if (!is_pipe(job))
		return 0;
	if (isatty(STDOUT_FILENO))
		return misuse(cmd, "-o -: a recording is nothing for a terminal: -o FILE, or | softpt flow -");
	if (job->cfg.truth)
		return misuse(cmd, "-c truth= makes a second file: not with -o -");
	for (i = 0; i < job->trigger.set.nr; i++)
		if (job->trigger.set.trigger[i].flags & SOFTPT_TRIGGER_REARM)
			return misuse(cmd, "rearm makes several files: not with -o -");
	return 0;
}

/* The path is that of a translation, and its threads are known from their start. */
static int check_kernel(const struct command *cmd, const struct asked *a)
{
	const struct record_job *job = &a->job;

	if (!job->kernel)
		return 0;
	if (!job->argv || job->system || job->attached.tid)
		return misuse(cmd, "--kernel is of a program that it starts: not with -a, -p or -t");
	if (job->inside.nr || job->trigger.set.nr || job->freeze.path ||
	    job->cfg.mode == SOFTPT_RING_SNAPSHOT)
		return misuse(cmd, "--kernel records all of a program: not with --in, --trigger, --freeze or mode=snapshot");
	if (job->alone || job->cfg.clock == SOFTPT_CLOCK_MODEL)
		return misuse(cmd, "--kernel follows all threads by the wall clock: not with -i or clock=model");
	if (a->way != WAY_ANY && a->way != WAY_TRANSLATE)
		return misuse(cmd, "--kernel is of a program in translation: not with another --how");
	return 0;
}

static int check_inside(const struct command *cmd, const struct inside *in)
{
	if (in->given & (INSIDE_START | INSIDE_STOP) && in->given & (INSIDE_IN | INSIDE_LINES))
		return misuse(cmd, "--start and --stop are of threads, --in of calls: not both");
	if (in->given & INSIDE_STOP && !(in->given & INSIDE_START))
		return misuse(cmd, "--stop ends what --start PLACE begins");
	if (in->condition.text && inside_begins_at_probe(in))
		return misuse(cmd, "--if is of arguments of functions: not with probes (usdt:)");
	return 0;
}

static int check_options(const struct command *cmd, const struct asked *a)
{
	const struct record_job *job = &a->job;

	if (job->trigger.set.nr && (a->way == WAY_PTRACE || job->system))
		return misuse(cmd, "--trigger is of a program that the module steps");
	if (a->way == WAY_TRANSLATE && (job->system || job->freeze.path ||
					(job->attached.tid && !job->attached.threads)))
		return misuse(cmd, "--how=translate follows one program: not with -a, -t or --freeze");
	if (job->inside.nr && (job->system || (job->attached.tid && !job->attached.threads) ||
			       job->freeze.path ||
			       (a->way != WAY_ANY && a->way != WAY_TRANSLATE)))
		return misuse(cmd, "--in is of a program in translation: not with -a, -t, --freeze, or another --how");
	if (!job->inside.nr && (job->inside.every || job->inside.most || job->inside.slower ||
				job->inside.condition.text))
		return misuse(cmd, "--calls, --every, --if and --slower-than are of calls of functions: --in FUNCTION");
	if (check_inside(cmd, &job->inside))
		return EXIT_USAGE;
	if (job->max_time && a->way == WAY_PTRACE)
		return misuse(cmd, "--max-time is not of a program that is stepped with ptrace");
	if (check_kernel(cmd, a) || (job->system && check_system(cmd, a)) ||
	    (job->attached.tid && check_attached(cmd, a)) || check_freeze(cmd, a) ||
	    check_pipe(cmd, job))
		return EXIT_USAGE;
	if (!job->argv && !job->system && !job->attached.tid)
		return misuse(cmd, "which program? (softpt record -- COMMAND)");
	return 0;
}

/* ---- options ---- */

/* TRIG packets, unless they are to be none, or none that stock decoders don't know */
static struct softpt_config mark_triggers(const struct softpt_config *given,
					  const struct softpt_config *triggered)
{
	struct softpt_config cfg = *triggered;

	if (cfg.flags & SOFTPT_F_STOCK_SAFE && !(given->flags & SOFTPT_F_TRIG))
		cfg.flags &= ~SOFTPT_F_TRIG;
	return cfg;
}

static int how_option(const struct command *cmd, struct asked *a, const char *way)
{
	static const char *const names[] = {
		[WAY_MODULE] = "module", [WAY_PTRACE] = "ptrace", [WAY_TRANSLATE] = "translate",
	};

	for (a->way = WAY_MODULE; a->way <= WAY_TRANSLATE; a->way++)
		if (!strcmp(way, names[a->way]))
			return 0;
	return misuse(cmd, "--how %s: there are module, ptrace and translate", way);
}

static int config_options(struct asked *a, const char *text)
{
	if (config_option(&a->job.cfg, text) || config_option(&a->system, text))
		return EXIT_USAGE;
	return config_option(&a->triggered, text);
}

static int attach_option(const struct command *cmd, struct attached *attached, int id)
{
	uint64_t number;

	if (attached->tid)
		return misuse(cmd, "one process or thread only");
	if (!softpt_number_within(optarg, 1, INT_MAX, &number))
		return misuse(cmd, "-%c %s: no number of a process", id, optarg);
	attached->tid = number;
	attached->threads = id == 'p';
	return 0;
}

#define LEVEL_MAX	19

static int level_option(const struct command *cmd, int *level)
{
	uint64_t number = 1;

	if (!zstd_is_there())
		return misuse(cmd, "-z: libzstd is missing: apt-get install libzstd1 (and libzstd-dev to build)");
	if (optarg && !softpt_number_within(optarg, 1, LEVEL_MAX, &number))
		return misuse(cmd, "-z%s: no level of zstd, 1 to %d", optarg, LEVEL_MAX);
	*level = number;
	return 0;
}

static int cpu_option(const struct command *cmd, int *cpu)
{
	uint64_t number;

	if (!softpt_number_within(optarg, 0, CPU_SETSIZE - 1, &number))
		return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
	*cpu = number;
	return 0;
}

static int number_option(const struct command *cmd, const char *name, uint64_t *number)
{
	if (!softpt_number_within(optarg, 1, INT64_MAX, number))
		return misuse(cmd, "--%s %s: no number of calls", name, optarg);
	return 0;
}

static int time_option(const struct command *cmd, const char *name, uint64_t *ns)
{
	if (!softpt_nanoseconds(optarg, ns))
		return misuse(cmd, "--%s %s: no time: a number and ns, us, ms, s or m", name,
			      optarg);
	return 0;
}

static int take_option(const struct command *cmd, struct asked *a, int id)
{
	struct record_job *job = &a->job;

	switch (id) {
	case 'o':
		job->path = optarg;
		return 0;
	case 's':
		job->stats = true;
		return 0;
	case 'i':
		job->alone = true;
		return 0;
	case 'a':
		job->system = true;
		return 0;
	case KERNEL:
		job->kernel = true;
		return 0;
	case NO_MODULE:
		a->way = WAY_PTRACE;
		return 0;
	case HOW:
		return how_option(cmd, a, optarg);
	case 'c':
		return config_options(a, optarg);
	case TRIGGER:
	case BEFORE:
	case AFTER:
	case FRAGMENTS:
	case ON_CRASH:
		return record_trigger_option(cmd, &job->trigger, id - TRIGGER, optarg);
	case 'p':
	case 't':
		return attach_option(cmd, &job->attached, id);
	case FREEZE:
		return freeze_option(cmd, &job->freeze, optarg);
	case EAR:
		job->freeze.path = optarg;
		return 0;
	case IN:
		return inside_option(cmd, &job->inside, INSIDE_IN, optarg);
	case IN_LINES:
		return inside_option(cmd, &job->inside, INSIDE_LINES, optarg);
	case START:
		return inside_option(cmd, &job->inside, INSIDE_START, optarg);
	case STOP:
		return inside_option(cmd, &job->inside, INSIDE_STOP, optarg);
	case CALLS:
		return number_option(cmd, "calls", &job->inside.most);
	case EVERY:
		return number_option(cmd, "every", &job->inside.every);
	case IF:
		return condition_option(cmd, &job->inside.condition, optarg);
	case SLOWER:
		return time_option(cmd, "slower-than", &job->inside.slower);
	case MAX_TIME:
		return time_option(cmd, "max-time", &job->max_time);
	case 'z':
		return level_option(cmd, &job->level);
	case 'C':
		return cpu_option(cmd, &job->cpu);
	}
	return EXIT_USAGE;
}

static int parse_options(const struct command *cmd, struct asked *a, int argc, char **argv)
{
	struct record_job *job = &a->job;
	int id;

	a->system = job->cfg;
	a->system.flags |= SOFTPT_F_OS;
	a->system.flags &= ~(SOFTPT_F_LOSSLESS | SOFTPT_F_PTW);
	a->triggered = job->cfg;
	a->triggered.flags |= SOFTPT_F_TRIG;
	a->triggered.mode = SOFTPT_RING_SNAPSHOT;
	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, a, id))
			return EXIT_USAGE;
	if (job->system)
		job->cfg = a->system;
	else if (job->trigger.set.nr)
		job->cfg = mark_triggers(&job->cfg, &a->triggered);
	job->kernel_cfg = a->system;
	if (optind < argc)
		job->argv = argv + optind;
	if (check_options(cmd, a) || record_trigger_done(cmd, &job->trigger, &job->cfg))
		return EXIT_USAGE;
	/* The model clock is one task's. */
	job->alone |= job->system || job->cfg.clock == SOFTPT_CLOCK_MODEL ||
		      (job->attached.tid && !job->attached.threads);
	job->attached.threads &= !job->alone;
	if (job->freeze.path && job->cpu < 0)
		job->cpu = freeze_cpu();
	return config_done(&job->cfg);
}

static bool has_device(void)
{
	return !faccessat(AT_FDCWD, SOFTPT_DEVICE, R_OK | W_OK, AT_EACCESS);
}

/* Translation is the fastest. What it can't do is the module's, or without that ptrace's. */
static enum way find_way(const struct asked *a)
{
	const struct record_job *job = &a->job;
	const char *why;

	if (a->way != WAY_ANY)
		return a->way;
	if (job->inside.nr || job->kernel)
		return WAY_TRANSLATE;
	if (job->attached.tid && job->attached.threads && !job->freeze.path && !has_device() &&
	    !record_translate_refusal(job)) {
		fprintf(stderr, "softpt: record: translated, times are bounds (--how=translate)\n");
		return WAY_TRANSLATE;
	}
	if (!job->argv || job->system || job->freeze.path)
		return WAY_MODULE;
	why = job->alone && job->cfg.clock != SOFTPT_CLOCK_MODEL ? "-i" :
		record_translate_refusal(job);
	if (!why) {
		fprintf(stderr, "softpt: record: translated, times are bounds (--how=translate)\n");
		return WAY_TRANSLATE;
	}
	if (job->trigger.set.nr || has_device()) {
		fprintf(stderr, "softpt: record: not translated (%s): stepped by the module (--how=module)\n",
			why);
		return WAY_MODULE;
	}
	fprintf(stderr, "softpt: record: not translated (%s), and without " SOFTPT_DEVICE ": stepped (--how=ptrace)\n",
		why);
	return WAY_PTRACE;
}

static int record_to(struct asked *a)
{
	struct record_job *job = &a->job;
	int status = job->inside.nr && job->argv ? translated_check(job->argv[0]) : 0;

	if (status)
		return status;
	if (names_find(&job->trigger.set, &job->trigger.names, job->argv ? job->argv[0] : NULL))
		return EXIT_REFUSED;
	if (job->inside.nr &&
	    inside_find(&job->inside, job->argv ? job->argv[0] : NULL, job->attached.tid))
		return EXIT_REFUSED;
	config_warn_stock(&job->cfg);
	switch (find_way(a)) {
	case WAY_TRANSLATE:
		return record_translate(job);
	case WAY_PTRACE:
		return record_ptrace(job);
	default:
		return record_module(job);
	}
}

/* Return: as record_to() */
static int record(struct asked *a)
{
	struct trace_pipe pipe;
	int status, err;

	if (!is_pipe(&a->job))
		return record_to(a);
	err = trace_pipe_begin(&pipe);
	if (err)
		return refuse("record", "a file in TMPDIR or /tmp: %s", strerror(-err));
	a->job.path = pipe.path;
	status = record_to(a);
	err = trace_pipe_end(&pipe);
	return err ? refuse("stdout", "%s", strerror(-err)) : status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct asked a = {
		.job = { .path = "softpt.data", .cpu = -1, .attached.gone = -1 },
	};
	struct record_job *job = &a.job;
	int status;

	softpt_config_init_record(&job->cfg);
	if (parse_options(cmd, &a, argc, argv))
		status = EXIT_USAGE;
	else if (job->argv && strchr(job->argv[0], '/') && spare_input(job->argv[0], job->path))
		status = EXIT_REFUSED;
	else
		status = record(&a);
	names_free(&job->trigger.names);
	inside_free(&job->inside);
	return status;
}

const struct command command_record = {
	.name = "record",
	.args = "[--] [COMMAND [ARG]...]",
	.what = "record the exact path of a program, with times",
	.more = "FILE is perf.data: softpt flow, softpt decode and perf script read it. The first WAY that\n"
		"can do what is asked is taken, and told:\n"
		"  translate   from a code cache: a few times slower, without root; times are bounds;\n"
		"              --trigger ip=, ptw=, signal=, syscall= and exit, --on-crash; also takes -p\n"
		"  module      stepped by the module: 1000 times slower, each instruction has a time;\n"
		"              also takes -p, -t, -a, --freeze and any --trigger\n"
		"  ptrace      stepped with ptrace: 10000 times slower, without root, one thread\n"
		"Threads and children of the program are recorded until it exits itself; on the model clock\n"
		"its first thread alone. The exit status is the program's. Ctrl-C goes to the program; a\n"
		"second one ends the recording, and the program goes on.\n"
		"-a records context switches, system calls, interrupts, page faults and idle of all CPUs\n"
		"while COMMAND runs, or until Ctrl-C. --kernel has them beside the path of COMMAND in\n"
		"translation: softpt flow tells of each thread what it waited for. Both need the module, and\n"
		"CAP_PERFMON.\n"
		"--trigger keeps the newest in the rings, and writes what they hold so much after the\n"
		"first trigger event; --on-crash is --trigger signal=fatal. With rearm the rings run on when\n"
		"they were read, and FILE.1 and so on are what they hold after the next ones.\n"
		"-p and -t record from where the process is until it exits, or until Ctrl-C, which it is\n"
		"not told of: it goes on by itself. That takes CAP_SYS_PTRACE; --how=translate -p takes\n"
		"what a debugger takes. Without the module -p is --how=translate.",
	.options = options,
	.until_operand = true,
	.run = run,
};
