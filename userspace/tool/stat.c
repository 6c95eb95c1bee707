// SPDX-License-Identifier: BSD-2-Clause
/* softpt stat: the events of a real program, counted by the units of its CPUs */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpt/classes.h>

#include "base/number.h"
#include "base/tsc.h"
#include "counters.h"
#include "cli/device.h"
#include "record/record.h"
#include "stat-print.h"
#include "cli/tool.h"

#define ATTACHED_MS	100	/* how often to look whether an attached process has gone */

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

struct counting {
	struct stat stat;
	struct counters set;
	unsigned int step;	/* of them, which is next */
	const char *path;	/* NULL: standard error */
	int cpu;		/* -1: all */
	bool system;
	bool alone;		/* without threads and children */
	const char *how;	/* NULL: the first way that can */
	int session;
	struct units units;
	struct target target;
	struct attached attached;
	double begin;
	uint64_t preset[SOFTPT_COUNTERS];	/* of each counter, until it is cleared */
	uint64_t told[SOFTPT_THREADS][SOFTPT_COUNTERS];	/* in the intervals before */
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

static int add_event(const struct command *cmd, struct counting *c, const char *text)
{
	struct stat_event *e = &c->stat.event[c->stat.nr];
	struct softpt_spec spec;
	char why[320];
	int counter;

	if (c->stat.nr == SOFTPT_COUNTERS)
		return misuse(cmd, "-e %s: there are %d counters", text, SOFTPT_COUNTERS);
	if (counter_spec(text, &e->spec, why, sizeof(why)))
		return misuse(cmd, "-e %s: %s", text, why);
	spec = registers_of(e->spec);
	counter = counter_add(&c->set, text, &spec, why, sizeof(why));
	if (counter < 0)
		return misuse(cmd, "-e %s: %s", text, why);
	c->preset[counter] = c->set.plan.counter[counter].preset;
	e->name = text;
	e->counter = counter;
	c->stat.nr++;
	return 0;
}

/* Names with commas between */
static int add_events(const struct command *cmd, struct counting *c, char *text)
{
	char *name, *rest = text;
	int status = 0;

	while (!status && (name = strsep(&rest, ",")))
		status = add_event(cmd, c, name);
	return status;
}

static int add_default(const struct command *cmd, struct counting *c, const char *const *name)
{
	int status = 0;

	for (; *name && !status; name++)
		status = add_event(cmd, c, *name);
	return status;
}

/* ---- what was counted ---- */

/* The sums of all units, by event; @thread -1: of all threads. Return: 0 or -errno */
static int sum_up(const struct counting *c, int thread, uint64_t *values)
{
	struct softpt_counter_values v;
	unsigned int i, k;
	int err;

	memset(values, 0, c->stat.nr * sizeof(*values));
	for (i = 0; i < c->units.nr; i++) {
		err = softpt_unit_counters(c->units.unit[i], thread, &v);
		if (err)
			return err;
		for (k = 0; k < c->stat.nr; k++) {
			const unsigned int from = c->stat.event[k].counter;

			values[k] += v.value[from] + (v.overflows[from] << SOFTPT_COUNTER_BITS);
			values[k] -= thread < 0 ? c->preset[from] : 0;
		}
	}
	return 0;
}

/* Where no intervals are told a counter counts on from its preset, once for all units. */
static void add_presets(const struct counting *c, uint64_t *values)
{
	unsigned int k;

	for (k = 0; k < c->stat.nr && !c->stat.interval_ms && !c->stat.per_thread; k++)
		values[k] += c->preset[c->stat.event[k].counter];
}

static bool any(const uint64_t *values, unsigned int n)
{
	while (n--)
		if (values[n])
			return true;
	return false;
}

/* What has come since the last time. Return: whether anything */
static bool since(struct counting *c, unsigned int thread, uint64_t *values)
{
	uint64_t *told = c->told[thread];
	unsigned int k;

	for (k = 0; k < c->stat.nr; k++) {
		values[k] -= told[k];
		told[k] += values[k];
	}
	return any(values, c->stat.nr);
}

static int tell(struct counting *c)
{
	struct stat_place at = { .seconds = c->stat.interval_ms ? seconds_now() - c->begin : -1 };
	uint64_t values[SOFTPT_COUNTERS];
	unsigned int n = c->stat.per_thread ? SOFTPT_THREADS : 1, t;
	struct softpt_threads threads = { 0 };
	char name[32];
	int err;

	if (c->stat.per_thread)
		softpt_session_threads(c->session, &threads);
	for (t = 0; t < n; t++) {
		err = sum_up(c, c->stat.per_thread ? (int)t : -1, values);
		if (err)
			return refuse(SOFTPT_DEVICE, "reading counters: %s", softpt_strerror(err));
		if (!since(c, t, values) && c->stat.per_thread)
			continue;
		add_presets(c, values);
		snprintf(name, sizeof(name), "t%u-%d", t, threads.tid[t]);
		at.thread = c->stat.per_thread ? name : NULL;
		stat_print(&c->stat, &at, values);
	}
	return 0;
}

/* ---- while it runs ---- */

static bool ended(const struct counting *c)
{
	return c->target.exited || c->target.stop ||
	       (c->attached.tid && units_done(&c->units));
}

/* When something is to be done to counters */
static double next_step(const struct counting *c)
{
	return c->step < c->set.nr_steps ? c->begin + c->set.step[c->step].at / 1000.0 : INFINITY;
}

/* Milliseconds to wait for news: until @next or what is to be done, or for ever (-1) */
static int wait_for(const struct counting *c, double next)
{
	double ms = -1;

	next = c->stat.interval_ms ? next : INFINITY;
	next = fmin(next, next_step(c));
	if (isfinite(next))
		ms = fmin(fmax((next - seconds_now()) * 1000 + 1, 0), INT_MAX);
	if (c->attached.tid && (ms < 0 || ms > ATTACHED_MS))
		ms = ATTACHED_MS;
	return ms;
}

/* What was counted before a counter is cleared or preset is not told any more. */
static void forget(struct counting *c, uint32_t counters, const struct count_step *step)
{
	unsigned int k, i, t;

	for (k = 0; k < c->stat.nr; k++) {
		i = c->stat.event[k].counter;
		if (!(counters >> i & 1))
			continue;
		c->preset[i] = step->presets >> i & 1 ? step->preset[i] : 0;
		for (t = 0; t < SOFTPT_THREADS; t++)
			c->told[t][k] = 0;
	}
}

static int preset(const struct counting *c, const struct count_step *step)
{
	struct softpt_counter counter;
	unsigned int k;
	int err;

	for (k = 0; k < SOFTPT_COUNTERS; k++) {
		if (!(step->presets >> k & 1))
			continue;
		counter = c->set.plan.counter[k];
		counter.preset = step->preset[k];
		err = softpt_session_set_counter(c->session, &counter);
		if (err)
			return refuse(SOFTPT_DEVICE, "--count: presetting counter %u: %s", k,
				      err == -EBUSY ? "it is running" : softpt_strerror(err));
	}
	return 0;
}

static int do_step(struct counting *c)
{
	const struct count_step *step = &c->set.step[c->step++];
	const uint32_t all = c->set.plan.counters;
	struct softpt_count_args args = {
		.stop = step->args.stop & all, .clear = step->args.clear & all,
		.start = step->presets ? 0 : step->args.start & all,
	};
	int err = softpt_session_count(c->session, &args);

	if (err)
		return refuse(SOFTPT_DEVICE, "--count: %s", softpt_strerror(err));
	forget(c, args.clear | step->presets, step);
	if (!step->presets)
		return 0;
	if (preset(c, step))
		return EXIT_REFUSED;
	return device_count(c->session, step->args.start & all, true);
}

/* All that is due */
static int do_steps(struct counting *c)
{
	int status = 0;

	while (!status && !ended(c) && seconds_now() >= next_step(c))
		status = do_step(c);
	return status;
}

static int follow(struct counting *c)
{
	const double interval = c->stat.interval_ms / 1000.0;
	double next = c->begin + interval;
	struct pollfd p = { .fd = c->target.signals, .events = POLLIN };
	int status = 0;

	while (!status && !ended(c)) {
		if (poll(&p, 1, wait_for(c, next)) < 0 && errno != EINTR)
			return refuse("stat", "poll: %s", strerror(errno));
		if (p.revents)
			target_signal(&c->target);
		status = do_steps(c);
		if (status || !interval || seconds_now() < next || ended(c))
			continue;
		status = tell(c);
		while (next <= seconds_now())
			next += interval;
	}
	return status;
}

static void warn_of_losses(struct counting *c)
{
	struct softpt_counts sum;

	units_counts(&c->units, &sum);
	if (sum.events_lost)
		refuse("stat", "%llu events were lost: counts are too low", sum.events_lost);
}

static int finish(struct counting *c)
{
	const double elapsed = seconds_now() - c->begin;
	int status = device_count(c->session, c->set.plan.counters, false);

	if (!c->stat.interval_ms)
		stat_print_begin(&c->stat);
	if (!status)
		status = tell(c);
	if (!status && !c->stat.interval_ms)
		stat_print_end(&c->stat, elapsed, c->target.exited ? &c->target.usage : NULL);
	warn_of_losses(c);
	return status;
}

static int begin(struct counting *c)
{
	const int session = c->system ? -1 : c->session;
	int status = 0;

	if (c->stat.argv)
		status = target_start(&c->target, c->stat.argv, session,
				      c->system ? -1 : c->cpu);
	if (!status)
		status = device_count(c->session, c->set.plan.counters & ~c->set.stopped, true);
	if (!status && c->attached.tid)
		status = attached_go(&c->attached, c->session);
	if (status)
		return status;
	c->begin = seconds_now();
	status = do_steps(c);	/* at 0: before its first instruction */
	if (status)
		return status;
	return c->target.pid ? target_go(&c->target, c->stat.argv[0]) : 0;
}

static int count(struct counting *c)
{
	int status, err = softpt_session_enable(c->session, NULL);

	if (err)
		return refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err));
	status = begin(c);
	if (status)
		return status;
	if (c->stat.interval_ms)
		stat_print_begin(&c->stat);
	status = follow(c);
	if (!status)
		status = finish(c);
	softpt_session_disable(c->session, NULL);
	target_wait(&c->target);
	if (status || !c->target.pid)
		return status;
	return c->target.stop ? 128 + SIGINT : target_status(c->target.wstatus);
}

/* ---- the begin ---- */

static int open_output(struct counting *c)
{
	c->stat.out = c->path ? fopen(c->path, "we") : stderr;
	return c->stat.out ? 0 : refuse(c->path, "%s", strerror(errno));
}

static int close_output(struct counting *c)
{
	int err = ferror(c->stat.out);

	if (c->stat.out == stderr)
		return 0;
	if (fclose(c->stat.out) || err)
		return refuse(c->path, "%s", strerror(errno ? errno : EIO));
	return 0;
}

static int with_session(struct counting *c)
{
	int err = c->alone || c->system ? 0 : softpt_session_step(c->session, SOFTPT_STEP_INHERIT);
	int status;

	if (err)
		return refuse(SOFTPT_DEVICE, "following threads and children: %s",
			      softpt_strerror(err));
	status = device_counters(c->session, &c->set.plan,
				 c->system ? "the kernel" : "stepping a program");
	if (!status)
		status = units_open(&c->units, c->session, c->cpu, getpagesize());
	if (!status)
		status = target_signals(&c->target);
	if (!status)
		status = open_output(c);
	if (!status) {
		status = count(c);
		err = close_output(c);
		status = status ? status : err;
	}
	units_close(&c->units);
	return status;
}

/* No packets, and what a unit writes all the same overwrites itself. */
static int with_device(struct counting *c)
{
	struct softpt_config cfg;
	int dev = device_open(), status = EXIT_REFUSED;

	if (dev < 0)
		return EXIT_REFUSED;
	softpt_config_init(&cfg);
	cfg.flags = SOFTPT_F_USER;
	cfg.mode = SOFTPT_RING_SNAPSHOT;
	cfg.ring = getpagesize();
	c->session = device_session(dev, &cfg,
				    c->system ? SOFTPT_SOURCE_KERNEL : SOFTPT_SOURCE_STEP);
	if (c->session >= 0) {
		status = with_session(c);
		close(c->session);
	}
	close(dev);
	return status;
}

static int with_translation(struct counting *c)
{
	int err, status = open_output(c);

	if (status)
		return status;
	status = stat_translate(&c->stat, c->cpu);
	err = close_output(c);
	return status ? status : err;
}

/* What does not go together */
static int check_options(const struct command *cmd, const struct counting *c)
{
	if (c->attached.tid && (c->stat.argv || c->system))
		return misuse(cmd, "a process that runs, or %s: not both",
			      c->stat.argv ? "a command" : "all CPUs");
	if (c->attached.tid && c->cpu >= 0)
		return misuse(cmd, "-C binds a program that it starts: not with -p or -t");
	if (c->system && c->stat.per_thread)
		return misuse(cmd, "--per-thread is for a program's threads: not with -a");
	if (counters_done(&c->set))
		return EXIT_USAGE;
	if (!c->stat.argv && !c->system && !c->attached.tid)
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

static int parse_option(const struct command *cmd, struct counting *c, int id)
{
	uint64_t number = 0;
	int status = 0;

	switch (id) {
	case 'e':
	case ID_COUNTER:
		return add_events(cmd, c, optarg);
	case ID_COUNT:
		return count_option(&c->set, optarg);
	case 'I':
		status = parse_number(cmd, id, 1, INT_MAX, &number);
		c->stat.interval_ms = number;
		return status;
	case ID_PER_THREAD:
		c->stat.per_thread = true;
		return 0;
	case 'f':
		c->stat.json = !strcmp(optarg, "json");
		if (!c->stat.json && strcmp(optarg, "text"))
			return misuse(cmd, "--format %s: text or json", optarg);
		return 0;
	case 'o':
		c->path = optarg;
		return 0;
	case 'p':
	case 't':
		if (c->attached.tid)
			return misuse(cmd, "one process or thread only");
		status = parse_number(cmd, id, 1, INT_MAX, &number);
		c->attached.tid = number;
		c->attached.threads = id == 'p';
		return status;
	case 'a':
		c->system = true;
		return 0;
	case 'C':
		status = parse_number(cmd, id, 0, CPU_SETSIZE - 1, &number);
		c->cpu = number;
		return status;
	case 'i':
		c->alone = true;
		return 0;
	case ID_HOW:
		c->how = optarg;
		if (strcmp(optarg, "translate") && strcmp(optarg, "module"))
			return misuse(cmd, "--how %s: there are translate and module", optarg);
		return 0;
	case ID_LIST:
		exit(list_events());
	}
	return EXIT_USAGE;
}

/* Return: NULL, or what translation can't do of what is asked for */
static const char *translate_refusal(const struct counting *c)
{
	unsigned int k;

	if (!c->stat.argv || c->system || c->alone)
		return "it counts one program, its threads and children";
	if (c->set.nr_steps || c->set.stopped)
		return "--count and :stop";
	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->preset[k])
			return ":preset";
	return stat_translate_refusal(&c->stat);
}

/* Who counts. Return: 0: the module; 1: translation; EXIT_USAGE after a message */
static int choose(const struct command *cmd, struct counting *c)
{
	const bool given = c->stat.nr, asked = c->how && !strcmp(c->how, "translate");
	const char *why = c->how && !asked ? c->how : translate_refusal(c);

	if (asked && why)
		return misuse(cmd, "--how=translate: not %s", why);
	if (!given && add_default(cmd, c, c->system ? system_events : why ? step_events :
				  translate_events))
		return EXIT_USAGE;
	return !why;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct counting c = { .cpu = -1, .attached.gone = -1 };
	int id, translated;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (parse_option(cmd, &c, id))
			return EXIT_USAGE;
	if (optind < argc)
		c.stat.argv = argv + optind;
	if (check_options(cmd, &c))
		return EXIT_USAGE;
	translated = choose(cmd, &c);
	if (translated == EXIT_USAGE)
		return EXIT_USAGE;
	if (translated)
		return with_translation(&c);
	c.alone |= c.attached.tid && !c.attached.threads;
	c.attached.threads &= !c.alone;
	c.stat.pid = c.attached.tid;
	if (c.attached.tid && attached_find(&c.attached))
		return EXIT_REFUSED;
	return with_device(&c);
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
