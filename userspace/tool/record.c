// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record: a real program, stepped by the module, or what the kernel does, into a
 * perf.data file
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpt/params.h>

#include "base/number.h"
#include "base/tsc.h"
#include "cli/device.h"
#include "cli/fragment.h"
#include "record/record.h"
#include "record/file.h"
#include "record/fragments.h"
#include "record/freeze.h"
#include "record/ptrace.h"
#include "record/translate.h"
#include "record/trigger.h"
#include "cli/tool.h"
#include "truth/file.h"
#include "code/vdso.h"

/* What a kill -9 of the recorder may lose */
#define DRAIN_MS	100
#define SYSTEM_DRAIN_MS	1000	/* the recorder is in its own trace */

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
};

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "perf.data file (softpt.data)" },
	OPTION_CONFIG,
	{ 'p', "pid", "PID", "a process that runs, with all of its threads" },
	{ 't', "tid", "TID", "a thread that runs, alone" },
	{ 'a', "all-cpus", NULL, "what the kernel does, on all CPUs" },
	{ 'C', "cpu", "N", "run the program on this CPU only; with -a: record this CPU only" },
	{ 'i', "no-inherit", NULL, "neither its threads nor its children" },
	{ NO_MODULE, "no-module", NULL, "step the program with ptrace: no module, no root" },
	{ HOW, "how", "WAY",
	  "translate, module or ptrace: how the program is followed (the first that can)" },
	{ FREEZE, "freeze", "CLASS[/SUBMASK][:QUAL...][,nth=K][,delay=D]",
	  "the event that freezes the records of retired instructions" },
	{ EAR, "ear", "FILE", "these records, as CSV, for `softpt address`" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ TRIGGER, "trigger", TRIGGER_ARG, TRIGGER_WHAT },
	{ BEFORE, "before", "SIZE", BEFORE_WHAT },
	{ AFTER, "after", "SIZE", AFTER_WHAT },
	{ FRAGMENTS, "fragments", "N", "with rearm: no more than so many files (100)" },
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

struct recorder {
	const char *path;
	char **argv;
	int cpu;		/* -1: all */
	bool stats;
	bool system;		/* what the kernel does, on all CPUs */
	bool alone;		/* without threads and children */
	enum way way;
	struct freeze freeze;
	struct softpt_config cfg;
	struct record_trigger trigger;
	struct fragments fragments;
	int file;
	bool is_new;		/* there was none before, and nothing is in it yet */
	int session;
	struct units units;
	struct target target;	/* pid 0: none */
	struct attached attached;	/* tid 0: none */
	struct sideband *sideband;
	struct softpt_perf_writer *writer;
	struct pollfd *poll;
};

/* ---- while it runs ---- */

/* Mappings first: a file that ends here must hold those that its trace needs. */
static int drain(struct recorder *r)
{
	uint64_t tsc = r->cfg.clock == SOFTPT_CLOCK_MODEL ? 1 : tsc_now();
	int err = sideband_drain(r->sideband, r->writer);

	if (!err && r->trigger.most)
		return fragments_drain(&r->fragments, tsc);
	if (!err && r->trigger.set.nr)
		err = record_trigger_drain(&r->units, r->writer, tsc);
	else if (!err)
		err = units_drain(&r->units, r->writer, tsc);
	return err ? refuse(r->path, "%s", softpt_strerror(err)) : 0;
}

/*
 * A unit reports a loss (POLLERR) until its status has told the count: without asking,
 * poll() would not wait any more.
 */
static void acknowledge_loss(struct recorder *r)
{
	struct softpt_counts counts;

	units_counts(&r->units, &counts);
}

static int wait_for_news(struct recorder *r)
{
	unsigned int i, sideband, n = 0;
	bool lost = false;

	r->poll[n++] = (struct pollfd){ .fd = r->target.signals, .events = POLLIN };
	r->poll[n++] = (struct pollfd){ .fd = r->attached.gone, .events = POLLIN };
	n += units_poll(&r->units, r->poll + n);
	sideband = n;
	n += sideband_poll(r->sideband, r->poll + n);
	if (poll(r->poll, n, r->system ? SYSTEM_DRAIN_MS : DRAIN_MS) < 0 && errno != EINTR)
		return refuse("record", "poll: %s", strerror(errno));
	for (i = 2; i < n; i++)
		lost |= r->poll[i].revents & POLLERR;
	if (lost)
		acknowledge_loss(r);
	sideband_polled(r->sideband, r->poll + sideband);
	if (r->poll[0].revents)
		target_signal(&r->target);
	if (r->attached.tid)
		r->target.exited = r->poll[1].revents || units_done(&r->units);
	return 0;
}

static int follow(struct recorder *r)
{
	int status = 0;

	while (!status && !r->target.exited && !r->target.stop) {
		status = wait_for_news(r);
		if (!status)
			status = drain(r);
	}
	return status;
}

/* ---- the end ---- */

static void tell(struct recorder *r)
{
	struct softpt_counts sum;

	units_counts(&r->units, &sum);
	if (r->stats || isatty(STDERR_FILENO))
		fprintf(stderr,
			"softpt: %s: events %llu, packets %llu, bytes %llu, MTC %llu, suppressed %llu, overflows %llu, events lost %llu\n",
			r->path, sum.events, sum.packets, sum.bytes, sum.mtc, sum.mtc_suppressed,
			sum.overflows, sum.events_lost);
	if (r->trigger.set.nr && !r->trigger.most)
		record_trigger_tell(&r->trigger, &r->units, r->path);
	else if (sum.events_lost && !r->trigger.most)
		refuse(r->path, "%llu events were lost: give it a larger ring (-c ring=)",
		       sum.events_lost);
	if (!sum.events)
		refuse(r->path, "no event%s", r->system ? "" : r->attached.tid ?
		       ": the process has executed nothing" : ": the program was never stepped");
}

/* Disabled, the units send their closing anchors. */
static int finish(struct recorder *r)
{
	int err, status;

	softpt_session_disable(r->session, NULL);
	status = drain(r);
	if (!status && r->freeze.file)
		status = freeze_write(&r->freeze, r->units.unit[0]);
	err = softpt_perf_writer_end(r->writer);
	r->writer = NULL;
	if (err && !status)
		status = refuse(r->path, "%s", softpt_strerror(err));
	tell(r);
	if (r->units.truth && record_truth_close(r->units.truth) && !status)
		status = EXIT_REFUSED;
	r->units.truth = NULL;
	return status;
}

/* ---- the begin ---- */

static struct watched whom(const struct recorder *r)
{
	if (r->system)
		return (struct watched){ .pid = -1, .tid = -1 };
	if (r->attached.tid)
		return (struct watched){
			.pid = r->attached.pid, .tid = r->attached.tid, .runs = true
		};
	return (struct watched){ .pid = r->target.pid, .tid = r->target.pid };
}

static int open_file(struct recorder *r)
{
	r->file = trace_create(r->path, &r->is_new);
	return r->file < 0 ? refuse(r->path, "%s", strerror(errno)) : 0;
}

static int begin_sideband(struct recorder *r)
{
	const struct watched who = whom(r);
	int err;

	r->sideband = sideband_open(&who, r->units.cpus, r->units.nr,
				    r->cfg.clock == SOFTPT_CLOCK_MODEL);
	if (!r->sideband)
		return refuse("record", "out of memory");
	err = who.runs ? attached_watch(&r->attached, r->sideband, &r->units) : 0;
	return err ? refuse("record", "watching the threads: %s", softpt_strerror(err)) : 0;
}

static int begin_fragments(struct recorder *r)
{
	r->fragments = (struct fragments){
		.trigger = &r->trigger, .units = &r->units, .sideband = r->sideband,
		.writer = r->writer, .path = r->path, .session = r->session,
	};
	return fragments_begin(&r->fragments);
}

static int begin_file(struct recorder *r)
{
	struct softpt_perf_setup setup = { .cfg = &r->cfg };
	const bool runs = r->attached.tid;
	unsigned int i;
	int err;

	sideband_clock(r->sideband, &setup);
	vdso_record(&setup);
	if (r->units.truth && record_truth_begin(r->units.truth))
		return EXIT_REFUSED;
	if (!r->units.truth)
		truth_remove(r->path);
	err = trace_begin(r->file);
	r->is_new = false;
	if (!err)
		err = softpt_perf_writer_new(&r->writer, r->file, &setup);
	if (!err && r->trigger.most)
		err = begin_fragments(r);
	if (!err && (r->system || runs))
		err = sideband_describe(r->sideband, r->writer);
	for (i = 0; i < r->units.nr && !err && !r->system; i++)
		err = sideband_begin(r->sideband, r->writer, r->units.cpus[i]);
	return err ? refuse(r->path, "%s", softpt_strerror(err)) : 0;
}

/* A file that was there is spared when the process may not be attached to. */
static int begin(struct recorder *r)
{
	int status = begin_sideband(r);

	if (!status && r->attached.tid)
		status = attached_go(&r->attached, r->session);
	if (!status && r->attached.tid)
		status = open_file(r);
	return status ? status : begin_file(r);
}

/* From the fork on the program must be let go, or told to go. */
static int record(struct recorder *r)
{
	int status, err = softpt_session_enable(r->session, &r->trigger.enabled);

	if (err == -EINVAL)
		return refuse(SOFTPT_DEVICE, "a stepped program is traced without os=1 and cr3");
	if (err)
		return refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err));
	status = r->freeze.file ? freeze_start(&r->freeze, r->session) : 0;
	if (status)
		return status;
	status = r->argv ? target_start(&r->target, r->argv, r->system ? -1 : r->session,
					r->system ? -1 : r->cpu) : 0;
	if (!status)
		status = begin(r);
	if (!status && r->target.pid)
		status = target_go(&r->target, r->argv[0]);
	if (status)
		return status;
	status = follow(r);
	if (status)	/* the file, not the program, is what went wrong */
		softpt_session_disable(r->session, NULL);
	else
		status = finish(r);
	target_wait(&r->target);
	if (status || !r->target.pid)
		return status;
	return r->target.stop ? 128 + SIGINT : target_status(r->target.wstatus);
}

static int with_session(struct recorder *r)
{
	int status = units_open(&r->units, r->session, r->cpu, r->cfg.ring);

	/* Signals, the end of a process, and of each CPU its unit and its sideband */
	r->poll = calloc(2 * r->units.nr + 2, sizeof(*r->poll));
	if (!status && !r->poll)
		status = refuse("record", "out of memory");
	if (!status && r->cfg.truth) {
		r->units.truth = record_truth_open(r->path, &r->cfg, r->units.nr);
		status = r->units.truth ? 0 : EXIT_REFUSED;
	}
	if (!status)
		status = target_signals(&r->target);
	if (!status)
		status = record(r);
	softpt_perf_writer_end(r->writer);
	fragments_end(&r->fragments);
	sideband_close(r->sideband);
	if (r->units.truth)
		record_truth_close(r->units.truth);
	units_close(&r->units);
	free(r->poll);
	return status;
}

/* Threads and children are stepped, too. */
static int inherit(struct recorder *r)
{
	int err = r->alone ? 0 : softpt_session_step(r->session, SOFTPT_STEP_INHERIT);

	return err ? refuse(SOFTPT_DEVICE, "following threads and children: %s (--no-inherit?)",
			    softpt_strerror(err)) : 0;
}

static int with_device(struct recorder *r)
{
	int dev = device_open(), status = EXIT_REFUSED;

	if (dev < 0)
		return EXIT_REFUSED;
	r->session = device_session(dev, &r->cfg,
				    r->system ? SOFTPT_SOURCE_KERNEL : SOFTPT_SOURCE_STEP);
	if (r->session >= 0 && !inherit(r) &&
	    !record_trigger_set(&r->trigger, dev, r->session) &&
	    (r->attached.tid || !open_file(r)) &&
	    (!r->freeze.path || !freeze_set(&r->freeze, r->session)))
		status = with_session(r);
	if (freeze_close(&r->freeze) && !status)
		status = EXIT_REFUSED;
	if (r->session >= 0)
		close(r->session);
	if (r->is_new)
		unlink(r->path);
	if (r->file >= 0 && close(r->file) && !status)
		status = refuse(r->path, "%s", strerror(errno));
	close(dev);
	return status;
}

static bool is_truth_of(const char *name, const char *path)
{
	char beside[PATH_MAX];

	return !truth_file_name(beside, sizeof(beside), path) && !strcmp(name, beside);
}

/* What does not go together */
static int check_options(const struct command *cmd, const struct recorder *r)
{
	const bool no_module = r->way == WAY_PTRACE;

	if (r->system && no_module)
		return misuse(cmd, "--no-module records one program: not with -a");
	if (r->system && r->cfg.clock == SOFTPT_CLOCK_MODEL)
		return misuse(cmd, "clock=model is the clock of one program: not with -a");
	if (r->system && r->cfg.flags & SOFTPT_F_LOSSLESS)
		return misuse(cmd, "lossless=1 lets a program wait: not with -a");
	if (r->attached.tid && (r->argv || r->system))
		return misuse(cmd, "a process that runs, or %s: not both",
			      r->argv ? "a command" : "all CPUs");
	if (r->trigger.set.nr && (no_module || r->system))
		return misuse(cmd, "--trigger is of a program that the module steps");
	if (r->way == WAY_TRANSLATE &&
	    (r->system || r->attached.tid || r->trigger.set.nr || r->freeze.path))
		return misuse(cmd, "--how=translate starts one program: not with -a, -p, -t, --trigger or --freeze");
	if (r->attached.tid && no_module)
		return misuse(cmd, "--no-module starts a program: not with -p or -t");
	if (r->attached.tid && r->cpu >= 0)
		return misuse(cmd, "-C binds a program that it starts: not with -p or -t");
	if (!r->freeze.event.nth != !r->freeze.path)
		return misuse(cmd, "--freeze and --ear go together");
	if (r->freeze.path && (r->system || r->attached.tid || no_module))
		return misuse(cmd, "--freeze is for a program that the module steps from its start: not with %s",
			      r->system ? "-a" : no_module ? "--no-module" : "-p or -t");
	if (r->freeze.path && (!strcmp(r->freeze.path, r->path) ||
			       (r->cfg.truth && is_truth_of(r->freeze.path, r->path))))
		return misuse(cmd, "two outputs go to %s", r->freeze.path);
	if (r->freeze.path && r->trigger.set.nr && is_fragment(r->freeze.path, r->path))
		return misuse(cmd, "--ear %s: a name for what freezes next (rearm)",
			      r->freeze.path);
	if (!r->argv && !r->system && !r->attached.tid)
		return misuse(cmd, "which program? (softpt record -- COMMAND)");
	return 0;
}

/* TRIG packets, unless they are to be none, or none that stock decoders don't know */
static struct softpt_config mark_triggers(const struct softpt_config *given,
					  const struct softpt_config *triggered)
{
	struct softpt_config cfg = *triggered;

	if (cfg.flags & SOFTPT_F_STOCK_SAFE && !(given->flags & SOFTPT_F_TRIG))
		cfg.flags &= ~SOFTPT_F_TRIG;
	return cfg;
}

static int how_option(const struct command *cmd, struct recorder *r, const char *way)
{
	static const char *const names[] = {
		[WAY_MODULE] = "module", [WAY_PTRACE] = "ptrace", [WAY_TRANSLATE] = "translate",
	};

	for (r->way = WAY_MODULE; r->way <= WAY_TRANSLATE; r->way++)
		if (!strcmp(way, names[r->way]))
			return 0;
	return misuse(cmd, "--how %s: there are module, ptrace and translate", way);
}

static int parse_options(const struct command *cmd, struct recorder *r, int argc, char **argv)
{
	struct softpt_config system = r->cfg, triggered = r->cfg;
	uint64_t number;
	int id;

	system.flags |= SOFTPT_F_OS;
	system.flags &= ~SOFTPT_F_LOSSLESS;
	triggered.flags |= SOFTPT_F_TRIG;
	triggered.mode = SOFTPT_RING_SNAPSHOT;
	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'o':
			r->path = optarg;
			break;
		case 's':
			r->stats = true;
			break;
		case 'i':
			r->alone = true;
			break;
		case NO_MODULE:
			r->way = WAY_PTRACE;
			break;
		case HOW:
			if (how_option(cmd, r, optarg))
				return EXIT_USAGE;
			break;
		case 'c':
			if (config_option(&r->cfg, optarg) || config_option(&system, optarg) ||
			    config_option(&triggered, optarg))
				return EXIT_USAGE;
			break;
		case TRIGGER:
		case BEFORE:
		case AFTER:
		case FRAGMENTS:
		case ON_CRASH:
			if (record_trigger_option(cmd, &r->trigger, id - TRIGGER, optarg))
				return EXIT_USAGE;
			break;
		case 'a':
			r->system = true;
			break;
		case 'p':
		case 't':
			if (r->attached.tid)
				return misuse(cmd, "one process or thread only");
			if (!softpt_number_within(optarg, 1, INT_MAX, &number))
				return misuse(cmd, "-%c %s: no number of a process", id, optarg);
			r->attached.tid = number;
			r->attached.threads = id == 'p';
			break;
		case FREEZE:
			if (freeze_option(cmd, &r->freeze, optarg))
				return EXIT_USAGE;
			break;
		case EAR:
			r->freeze.path = optarg;
			break;
		case 'C':
			if (!softpt_number_within(optarg, 0, CPU_SETSIZE - 1, &number))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			r->cpu = number;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (r->system)
		r->cfg = system;
	else if (r->trigger.set.nr)
		r->cfg = mark_triggers(&r->cfg, &triggered);
	if (optind < argc)
		r->argv = argv + optind;
	if (check_options(cmd, r) || record_trigger_done(cmd, &r->trigger, &r->cfg))
		return EXIT_USAGE;
	/* The model clock is one task's. */
	r->alone |= r->system || r->cfg.clock == SOFTPT_CLOCK_MODEL ||
		    (r->attached.tid && !r->attached.threads);
	r->attached.threads &= !r->alone;
	if (r->freeze.path && r->cpu < 0)
		r->cpu = freeze_cpu();
	return config_done(&r->cfg);
}

/* Translation is the fastest. What it can't do is the module's, or without that ptrace's. */
static enum way find_way(const struct recorder *r, const struct xl_job *job)
{
	const bool starts = r->argv && !r->system && !r->trigger.set.nr && !r->freeze.path;
	const char *why;

	if (r->way != WAY_ANY)
		return r->way;
	if (!starts)
		return WAY_MODULE;
	why = r->alone && r->cfg.clock != SOFTPT_CLOCK_MODEL ? "-i" :
		record_translate_refusal(job);
	if (!why) {
		fprintf(stderr, "softpt: record: translated, times are bounds (--how=translate)\n");
		return WAY_TRANSLATE;
	}
	if (!faccessat(AT_FDCWD, SOFTPT_DEVICE, R_OK | W_OK, AT_EACCESS)) {
		fprintf(stderr, "softpt: record: not translated (%s): stepped by the module (--how=module)\n",
			why);
		return WAY_MODULE;
	}
	fprintf(stderr, "softpt: record: not translated (%s), and without " SOFTPT_DEVICE ": stepped (--how=ptrace)\n",
		why);
	return WAY_PTRACE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct xl_job job;
	struct recorder r = {
		.path = "softpt.data", .cpu = -1, .file = -1, .session = -1, .attached.gone = -1,
	};

	softpt_config_init_record(&r.cfg);
	if (parse_options(cmd, &r, argc, argv))
		return EXIT_USAGE;
	if (r.argv && strchr(r.argv[0], '/') && spare_input(r.argv[0], r.path))
		return EXIT_REFUSED;
	config_warn_stock(&r.cfg);
	job = (struct xl_job){
		.path = r.path, .argv = r.argv, .cpu = r.cpu, .stats = r.stats, .cfg = r.cfg,
	};
	r.way = find_way(&r, &job);
	if (r.way == WAY_TRANSLATE)
		return record_translate(&job);
	if (r.way == WAY_PTRACE)
		return record_ptrace(&(struct ptrace_job){
			.path = r.path, .argv = r.argv, .cpu = r.cpu, .stats = r.stats,
			.cfg = r.cfg,
		});
	if (r.attached.tid && attached_find(&r.attached))
		return EXIT_REFUSED;
	return with_device(&r);
}

const struct command command_record = {
	.name = "record",
	.args = "[--] [COMMAND [ARG]...]",
	.what = "record the exact path of a program, with times",
	.more = "FILE is perf.data: softpt flow, softpt decode and perf script read it. The first WAY that\n"
		"can do what is asked is taken, and told:\n"
		"  translate   from a code cache: a few times slower, without root; times are bounds\n"
		"  module      stepped by the module: 1000 times slower, each instruction has a time;\n"
		"              also takes -p, -t, -a, --trigger and --freeze\n"
		"  ptrace      stepped with ptrace: 10000 times slower, without root, one thread\n"
		"Threads and children of the program are recorded until it exits itself; on the model clock\n"
		"its first thread alone. The exit status is the program's. Ctrl-C goes to the program; a\n"
		"second one ends the recording, and the program goes on.\n"
		"-a records context switches, system calls, interrupts, page faults and idle of all CPUs\n"
		"while COMMAND runs, or until Ctrl-C.\n"
		"--trigger keeps the newest in the rings, and writes what they hold so much after the\n"
		"first trigger event; --on-crash is --trigger signal=fatal. With rearm the rings run on when\n"
		"they were read, and FILE.1 and so on are what they hold after the next ones.\n"
		"-p and -t record from where the process is until it exits, or until Ctrl-C, which it is\n"
		"not told of: it goes on by itself. That takes CAP_SYS_PTRACE.",
	.options = options,
	.until_operand = true,
	.run = run,
};
