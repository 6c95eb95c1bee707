// SPDX-License-Identifier: BSD-2-Clause
/* softpt stat: what of a program is counted, and which way */
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/classes.h>

#include "base/number.h"
#include "cli/tool.h"
#include "stat/job.h"

enum {
	ID_PER_THREAD = 0x100,
	ID_LIST,
	ID_COUNTER,
	ID_COUNT,
	ID_HOW,
};

static const struct option_row options[] = {
	{ 'e', "event", "[K=]EVENT[:QUAL...][:preset=N][:stop],...",
	  "count this, from N on, by counter K or any; may be repeated" },
	{ ID_COUNTER, "counter", "[K=]EVENT[:QUAL...][:preset=N][:stop]", "the same" },
	{ ID_COUNT, "count", COUNT_ARG,
	  "at TIME, milliseconds from the beginning, do any of this; may be repeated" },
	{ 'I', "interval-print", "MS", "print what was counted each MS milliseconds" },
	{ ID_PER_THREAD, "per-thread", NULL, "what each thread has counted" },
	{ 'f', "format", "FORMAT", "text or json" },
	{ 'o', "output", "FILE", "print to this file (standard error)" },
	{ 'p', "pid", "PID", "count a process that runs, with all of its threads" },
	{ 't', "tid", "TID", "count a thread that runs, alone" },
	{ 'a', "all-cpus", NULL, "count what the kernel does, on all CPUs" },
	{ 'C', "cpu", "N", "run the program on this CPU only; with -a: count this CPU only" },
	{ 'i', "no-inherit", NULL, "neither its threads nor its children" },
	{ ID_HOW, "how", "WAY", "translate or module (the first that can)" },
	{ ID_LIST, "list", NULL, "list what can be counted" },
	{ 0 }
};

static const char *const step_events[] = {
	"instructions", "branches", "branches/taken", "branches/not-taken", "system-calls",
	"page-faults", "context-switches", NULL
};

/* Page faults and switches are others in translation. */
static const char *const translate_events[] = {
	"instructions", "branches", "branches/taken", "branches/not-taken", "system-calls", NULL
};

static const char *const system_events[] = {
	"system-calls", "page-faults", "context-switches", NULL
};

/* ---- what is counted ---- */

/*
 * Every branch is in two classes, each with two registers only, and who asks for all of
 * them often asks for those that are taken and not, besides.
 */
static struct softpt_spec registers_of(struct softpt_spec spec)
{
	if (spec.event_class == SOFTPT_CLASS_BRANCHES && spec.mask == STAT_ALL)
		spec.event_class = SOFTPT_CLASS_BRANCH_INSTRUCTIONS;
	return spec;
}

static int add_event(const struct command *cmd, struct stat_job *job, const char *text)
{
	struct stat_event *e = &job->stat.event[job->stat.nr];
	struct softpt_spec spec;
	char why[320];
	int counter;

	if (job->stat.nr == SOFTPT_COUNTERS)
		return misuse(cmd, "-e %s: there are %d counters", text, SOFTPT_COUNTERS);
	if (counter_spec(text, &e->spec, why, sizeof(why)))
		return misuse(cmd, "-e %s: %s", text, why);
	spec = registers_of(e->spec);
	counter = counter_add(&job->set, text, &spec, why, sizeof(why));
	if (counter < 0)
		return misuse(cmd, "-e %s: %s", text, why);
	job->preset[counter] = job->set.plan.counter[counter].preset;
	e->name = text;
	e->counter = counter;
	job->stat.nr++;
	return 0;
}

/* Names with commas between */
static int add_events(const struct command *cmd, struct stat_job *job, char *text)
{
	char *name, *rest = text;
	int status = 0;

	while (!status && (name = strsep(&rest, ",")))
		status = add_event(cmd, job, name);
	return status;
}

static int add_default(const struct command *cmd, struct stat_job *job, const char *const *name)
{
	int status = 0;

	for (; *name && !status; name++)
		status = add_event(cmd, job, *name);
	return status;
}

/* What does not go together */
static int check_options(const struct command *cmd, const struct stat_job *job)
{
	if (job->attached.tid && (job->stat.argv || job->system))
		return misuse(cmd, "a process that runs, or %s: not both",
			      job->stat.argv ? "a command" : "all CPUs");
	if (job->attached.tid && job->cpu >= 0)
		return misuse(cmd, "-C binds a program that it starts: not with -p or -t");
	if (job->system && job->stat.per_thread)
		return misuse(cmd, "--per-thread is for a program's threads: not with -a");
	if (counters_done(&job->set))
		return EXIT_USAGE;
	if (!job->stat.argv && !job->system && !job->attached.tid)
		return misuse(cmd, "which program? (softpt stat -- COMMAND)");
	return 0;
}

static int parse_number(const struct command *cmd, int id, uint64_t low, uint64_t high,
			uint64_t *number)
{
	if (softpt_number_within(optarg, low, high, number))
		return 0;
	return misuse(cmd, "-%c %s: a number from %llu to %llu", id, optarg,
		      (unsigned long long)low, (unsigned long long)high);
}

static int parse_option(const struct command *cmd, struct stat_job *job, int id)
{
	uint64_t number = 0;
	int status = 0;

	switch (id) {
	case 'e':
	case ID_COUNTER:
		return add_events(cmd, job, optarg);
	case ID_COUNT:
		return count_option(&job->set, optarg);
	case 'I':
		status = parse_number(cmd, id, 1, INT_MAX, &number);
		job->stat.interval_ms = number;
		return status;
	case ID_PER_THREAD:
		job->stat.per_thread = true;
		return 0;
	case 'f':
		job->stat.json = !strcmp(optarg, "json");
		if (!job->stat.json && strcmp(optarg, "text"))
			return misuse(cmd, "--format %s: text or json", optarg);
		return 0;
	case 'o':
		job->stat.path = optarg;
		return 0;
	case 'p':
	case 't':
		if (job->attached.tid)
			return misuse(cmd, "one process or thread only");
		status = parse_number(cmd, id, 1, INT_MAX, &number);
		job->attached.tid = number;
		job->attached.threads = id == 'p';
		return status;
	case 'a':
		job->system = true;
		return 0;
	case 'C':
		status = parse_number(cmd, id, 0, CPU_SETSIZE - 1, &number);
		job->cpu = number;
		return status;
	case 'i':
		job->alone = true;
		return 0;
	case ID_HOW:
		job->how = optarg;
		if (strcmp(optarg, "translate") && strcmp(optarg, "module"))
			return misuse(cmd, "--how %s: there are translate and module", optarg);
		return 0;
	case ID_LIST:
		exit(list_events());
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct stat_job job = { .cpu = -1, .attached.gone = -1 };
	const char *why = NULL;
	bool module;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (parse_option(cmd, &job, id))
			return EXIT_USAGE;
	if (optind < argc)
		job.stat.argv = argv + optind;
	if (check_options(cmd, &job))
		return EXIT_USAGE;
	module = job.how && !strcmp(job.how, "module");
	if (!module)
		why = stat_translate_refusal(&job);
	if (job.how && why)
		return misuse(cmd, "--how=translate: not %s", why);
	if (!job.stat.nr && add_default(cmd, &job, job.system ? system_events :
					module || why ? step_events : translate_events))
		return EXIT_USAGE;
	if (!module && !why)
		return stat_translate(&job);
	if (why && job.stat.argv && !job.system)
		fprintf(stderr, "softpt: stat: not translated (%s): counted by the module (--how=module)\n",
			why);
	job.alone |= job.attached.tid && !job.attached.threads;
	job.attached.threads &= !job.alone;
	job.stat.pid = job.attached.tid;
	return stat_module(&job);
}

const struct command command_stat = {
	.name = "stat",
	.args = "[--] [COMMAND [ARG]...]",
	.what = "count what a program does, exactly, on a machine without a PMU",
	.more = "EVENT is CLASS[/SUBCLASS]: softpt stat --list. QUAL is u or k, user or kernel level, or\n"
		"tN, tNu or tNk: thread N in the order in which threads began, 0 is the first. Without -e:\n"
		"instructions, branches, those that are taken and not, system calls, page faults (in user\n"
		"mode) and context switches. Threads and children are counted until the program itself\n"
		"exits. The exit status is the program's. Without the module these are counted in translation,\n"
		"but for page faults and switches; with it, too, where that can count all EVENTs: at a few\n"
		"times the program's own duration, not 1000 times. --how=module steps.\n"
		"-a counts system calls, page faults and context switches of all CPUs while COMMAND runs, or\n"
		"until Ctrl-C. -p and -t count from where the process is until it exits, or until Ctrl-C.",
	.options = options,
	.until_operand = true,
	.run = run,
};
