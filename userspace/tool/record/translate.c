// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record --how=translate: the program runs in translation, and leaves records in shared
 * memory. This process makes packets of them, a unit and a trace for each thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/tsc.h"
#include "sideband/system.h"
#include "sim/sim.h"
#include "../cli/tool.h"
#include "file.h"
#include "record.h"
#include "flight/release.h"
#include "flight/skim.h"
#include "inside/calls.h"
#include "side.h"
#include "take.h"
#include "takeover/launch.h"
#include "takeover/takeover.h"
#include "translated.h"
#include "truth/file.h"
#include "code/vdso.h"

#define LOOK_NS		100000		/* between looks that find nothing: after the first, */
#define LOOK_MOST_NS	2000000		/* and after many */
#define DRAIN_TICKS	50000000	/* TSC ticks between looks at the sideband */
#define FLUSH_TICKS	500000000	/* and what a kill -9 of the recorder may lose */

static void show_rate(struct translation *t)
{
	struct softpt_counts c;

	if (!rate_is_due(&t->rate))
		return;
	c = take_sum(t);
	rate_show(&t->rate, c.events, c.bytes);
}

static int flush_unit(struct xl_unit *u, void *arg)
{
	(void)arg;
	return sim_flush(u->sim);
}

static void flush(struct translation *t)
{
	side_drain(t);
	if (!t->all.err)
		t->all.err = members_each(&t->all, flush_unit, NULL);
	t->flushed = tsc_now();
}

/* ---- while it runs ---- */

/* The process waits until its records are read, also where they can't be kept any more. */
static void look(void *ctx)
{
	struct translation *t = ctx;
	const int err = t->all.err;

	if (err) {
		t->all.what = MEMBERS_DROP;
		t->all.stop = false;
	}
	t->all.err = 0;
	members_look(&t->all);
	if (!err)
		release_look(t);
	else
		t->all.err = err;
}

/* All calls that are wanted are recorded, of a process that goes on natively. */
static bool has_all(const struct translation *t)
{
	const struct xl_calls *c = &t->calls;

	return t->taken && c->most && c->taken >= c->most && !c->open;
}

/* A process that is seldom recorded is seldom looked at. */
static long next_nap(long ns, bool any)
{
	if (any)
		return LOOK_NS;
	return ns < LOOK_MOST_NS * 9 / 10 ? ns + ns / 10 : LOOK_MOST_NS;
}

/* Return: 0, or EXIT_REFUSED after a message */
static int follow(struct translation *t)
{
	struct timespec nap = { .tv_nsec = LOOK_NS };
	const struct timespec none = { 0 };
	struct pollfd p[] = {
		{ .fd = t->target.signals, .events = POLLIN },
		{ .fd = t->job->attached.gone, .events = POLLIN },
	};
	bool any = false;
	int status = 0;

	target_limit(t->job->max_time);
	while (!t->target.exited && !t->target.stop && !t->all.err && !has_all(t)) {
		if (ppoll(p, 2, any ? &none : &nap, NULL) > 0 && p[0].revents)
			target_signal(&t->target);
		t->target.exited |= t->job->attached.tid && p[1].revents;
		any = members_look(&t->all);
		nap.tv_nsec = next_nap(nap.tv_nsec, any);
		release_look(t);
		if (tsc_now() - t->flushed > FLUSH_TICKS)
			flush(t);
		else if (tsc_now() - t->drained > DRAIN_TICKS)
			side_drain(t);
		show_rate(t);
	}
	rate_end(&t->rate);
	if (t->taken)
		status = takeover_end(&t->all.share, &t->takeover, look, t);
	/* All that was written by now: a process that is left writes on without end. */
	do {
		if (!t->all.err)
			members_look(&t->all);
	} while (release_look(t));
	release_end(t);
	return status;
}

/* ---- begin and end ---- */

static int find_cpus(struct translation *t)
{
	long n = sysconf(_SC_NPROCESSORS_CONF), cpu;

	t->cpus = calloc(n, sizeof(*t->cpus));
	if (!t->cpus)
		return refuse("record", "out of memory");
	for (cpu = 0; cpu < n; cpu++)
		if (cpu_online(cpu))
			t->cpus[t->nr_cpus++] = cpu;
	return 0;
}

static int begin_file(struct translation *t)
{
	int err;

	sideband_clock(t->sideband, &t->setup);
	t->setup.threads = true;
	t->setup.level = t->job->level;
	/* No 32-bit program is translated: the image for those is not looked for. */
	t->setup.vdso = vdso_here(&t->setup.vdso_len);
	truth_remove(t->job->path);
	err = trace_begin(t->file);
	t->is_new = false;
	if (!err)
		err = softpt_perf_writer_new(&t->writer, t->file, &t->setup);
	if (!err && t->job->trigger.most)
		softpt_perf_writer_keep(t->writer);
	return err ? refuse(t->job->path, "%s", softpt_strerror(err)) : 0;
}

static void tell_calls(const struct translation *t)
{
	const struct xl_calls *c = &t->calls;

	fprintf(stderr, "softpt: %s: %s recorded %llu", t->job->path,
		t->job->inside.given & INSIDE_START ? "stretches" : "calls",
		(unsigned long long)c->taken);
	if (c->begun != c->taken)
		fprintf(stderr, " of %llu", (unsigned long long)c->begun);
	fputc('\n', stderr);
}

static void tell_none(const struct translation *t)
{
	const struct inside *in = &t->job->inside;

	fprintf(stderr, "softpt: %s: %s %s%s%s: nothing is recorded\n", t->job->path,
		in->given & INSIDE_START ? "no thread came to" : "no call of", in->text,
		in->condition.text ? " with " : "", in->condition.text ? in->condition.text : "");
}

static void tell(const struct translation *t)
{
	const bool counts = t->job->stats || isatty(STDERR_FILENO);

	if (counts)
		fprintf(stderr,
			"softpt: %s: events %llu, packets %llu, bytes %llu, conditional branches %llu\n",
			t->job->path, t->counts.events, t->counts.packets, t->counts.bytes,
			(unsigned long long)t->branches);
	if (t->job->inside.nr && !t->calls.begun)
		tell_none(t);
	if (t->job->inside.nr && counts)
		tell_calls(t);
	inside_tell(&t->job->inside, t->job->path);
}

static int finish(struct translation *t)
{
	int end;

	side_drain(t);
	if (!t->all.err)
		t->all.err = kernel_side_end(&t->kernel, t->writer, t->job->path);
	members_free(&t->all);
	xl_share_close(&t->all.share);	/* nobody waits for its chunks to be read */
	end = softpt_perf_writer_end(t->writer);
	t->writer = NULL;
	tell(t);
	if (t->all.err == -EBADMSG)
		return refuse(t->job->path,
			      "the program has overwritten its records: the recording is broken");
	if (!t->all.err)
		t->all.err = end;
	return t->all.err ? refuse(t->job->path, "%s", softpt_strerror(t->all.err)) : 0;
}

/* ---- functions ---- */

static void tell_doors(void *ctx, const struct member *m, uint32_t question)
{
	struct translation *t = ctx;

	inside_answer(&t->job->inside, m->pid, xl_process(&t->all.share, m->area), question);
}

/* A process has ended, or the recording. */
static void note_made(void *ctx, struct member *m)
{
	struct translation *t = ctx;

	t->job->inside.made |= xl_process(&t->all.share, m->area)->made;
}

/* They are asked for by processes that share this file, and by no others. */
static void set_share(struct translation *t)
{
	if (!t->job->inside.nr || inside_share(&t->job->inside, t->all.share.fd))
		return;
	condition_share(&t->job->inside.condition, t->all.share.map);
	calls_share(&t->job->inside, t->all.share.map);
	((struct softpt_xl_shared *)t->all.share.map)->asks = true;
}

static void place_doors(void *ctx, struct softpt_xl_process *process)
{
	struct translation *t = ctx;

	set_share(t);
	if (!t->job->inside.nr)
		return;
	process->made = t->job->inside.refused;
	inside_answer(&t->job->inside, t->taken, process, 0);
}

static void tell_translated(const char *why)
{
	fprintf(stderr, "softpt: record: translated between the calls, too: %s\n", why);
}

/* @starts: it has not executed an instruction */
static int take_over(struct translation *t, pid_t pid, bool starts)
{
	struct inside *in = &t->job->inside;
	const char *why = in->nr ? inside_native_refusal(in, pid, starts) : NULL;
	int status;

	if (why)
		tell_translated(why);
	t->taken = pid;
	t->takeover.child = starts ? pid : 0;
	t->takeover.ready = place_doors;
	t->takeover.ctx = t;
	status = takeover_begin(pid, &t->all.share, &t->takeover);
	if (!status && in->nr && !in->refused && !starts && !xl_process(&t->all.share, 0)->native)
		tell_translated("its code is not what its files have");
	return status;
}

/* Natively but for the calls that are recorded */
static int go_launched(struct translation *t)
{
	int status = launch_go(&t->target, t->job->argv[0]);

	if (status)
		return status;
	status = take_over(t, t->target.pid, true);
	if (!t->takeover.ended)
		return status;
	target_wait(&t->target);
	return target_result(&t->target);
}

/* The process is recorded from where it is. */
static int go_attached(struct translation *t)
{
	const struct attached *a = &t->job->attached;
	int err = attached_watch(a, t->sideband, NULL);

	if (!err)
		err = process_describe(a->pid, t->writer, record_time(t, tsc_now()));
	if (err)
		return refuse(t->job->path, "%s", softpt_strerror(err));
	return take_over(t, a->pid, false);
}

/* Which calls of the functions are recorded */
static void set_calls(struct translation *t)
{
	const struct inside *in = &t->job->inside;

	t->calls.every = in->every;
	t->calls.most = in->most;
	if (!in->slower || !t->setup.time_mult)
		return;
	t->slower = (uint64_t)(((__uint128_t)in->slower << t->setup.time_shift) /
			       t->setup.time_mult) + 1;
	t->calls.over = take_call_over;
}

static int run_program(struct translation *t)
{
	const pid_t runs = t->job->attached.pid;
	const struct watched who = {
		.pid = runs ? runs : t->target.pid, .tid = runs ? runs : t->target.pid,
		.runs = runs, .whole = true,
	};
	int status, end;

	t->sideband = sideband_open(&who, t->cpus, t->nr_cpus, is_model(t));
	if (!t->sideband)
		return refuse("record", "out of memory");
	status = begin_file(t);
	set_calls(t);
	if (!status && t->launched)
		status = go_launched(t);
	else if (!status)
		status = runs ? go_attached(t) : target_go(&t->target, t->job->argv[0]);
	if (status)
		return status;
	t->begun.tsc = tsc_now();
	t->begun.seconds = seconds_now();
	end = follow(t);
	status = finish(t);
	if (runs)
		return status ? status : end;
	target_wait(&t->target);
	return status ? status : target_result(&t->target);
}

/* Of the wall clock there are TSC packets alone: no tick is known to lie between two branches. */
static void set_config(struct translation *t)
{
	t->cfg = t->job->cfg;
	t->setup.cfg = &t->cfg;
	if (is_model(t))
		return;
	t->cfg.flags &= ~SOFTPT_F_MTC;
	t->cfg.suppress = 0;
	t->cfg.preroll = 0;
}

/* Return: NULL, or why a translated program can't be traced so */
static const char *config_refusal(const struct softpt_config *cfg)
{
	if (cfg->flags & (SOFTPT_F_OS | SOFTPT_F_CR3))
		return "a translated program is traced without os=1 and cr3";
	if (cfg->truth)
		return "truth= is of units whose events have a time of their own";
	if (cfg->flags & SOFTPT_F_CYC && cfg->clock != SOFTPT_CLOCK_MODEL)
		return "cyc=1 of a translated program needs clock=model";
	return NULL;
}

static bool is_flight(const struct record_job *job)
{
	return job->cfg.mode == SOFTPT_RING_SNAPSHOT;
}

/* Return: NULL, or why what was asked for can't be done so */
static const char *job_refusal(const struct record_job *job)
{
	const char *why = config_refusal(&job->cfg);

	if (!why && job->inside.nr && (is_flight(job) || job->cfg.clock == SOFTPT_CLOCK_MODEL))
		why = "--in goes with neither --trigger, mode=snapshot nor clock=model";
	return !why && is_flight(job) ? flight_refusal(job) : why;
}

static const char *attach_refusal(const struct record_job *job)
{
	if (!job->attached.threads)
		return "-p takes a process with all of its threads: not with -i or clock=model";
	return translated_attach_refusal();
}

const char *record_translate_refusal(const struct record_job *job)
{
	const char *why = job_refusal(job);

	if (!why && job->attached.tid)
		why = attach_refusal(job);
	if (job->attached.tid)
		return why;
	return why ? why : translated_refusal(job->argv[0]);
}

/* What is recorded, up to where target_go() lets it */
static int begin_target(struct translation *t)
{
	const struct record_job *job = t->job;
	int status;

	if (job->attached.tid)
		return target_signals(&t->target);
	t->launched = job->inside.nr && launch_can();
	if (t->launched)
		return launch_start(&t->target, job->argv, job->cpu);
	status = translated_start(&t->target, &t->all.share, job->argv, job->cpu);
	if (!status)
		set_share(t);
	return status;
}

static int start(struct translation *t)
{
	const char *why = job_refusal(t->job);
	int status;

	if (!why && t->job->attached.tid)
		why = attach_refusal(t->job);
	if (why)
		return refuse("record", "%s", why);
	set_config(t);
	status = find_cpus(t);
	if (!status && t->job->kernel)
		status = kernel_side_begin(&t->kernel, &t->job->kernel_cfg);
	if (!status)
		status = begin_target(t);
	return status ? status : run_program(t);
}

int record_translate(struct record_job *job)
{
	struct translation *t = calloc(1, sizeof(*t));
	int status;

	if (!t)
		return refuse("record", "out of memory");
	if (job->attached.tid && attached_find(&job->attached)) {
		free(t);
		return EXIT_REFUSED;
	}
	t->job = job;
	t->all.cfg = &t->cfg;
	t->all.take = take_records;
	t->all.skim = skim_records;
	t->all.what = is_flight(job) ? MEMBERS_HOLD : MEMBERS_TAKE;
	t->flight.trigger = &job->trigger;
	t->flight.cfg = &t->cfg;
	t->skims = is_flight(job);
	t->all.end = take_end;
	t->all.gone = note_made;
	t->all.asked = tell_doors;
	t->all.ctx = t;
	t->file = trace_create(job->path, &t->is_new);
	if (t->file < 0) {
		free(t);
		return refuse(job->path, "%s", strerror(errno));
	}
	status = start(t);
	softpt_perf_writer_end(t->writer);
	sideband_close(t->sideband);
	kernel_side_close(&t->kernel);
	members_free(&t->all);
	free(t->cpus);
	xl_share_close(&t->all.share);
	if (t->is_new)
		unlink(job->path);
	if (t->file >= 0 && close(t->file) && !status)
		status = refuse(job->path, "%s", strerror(errno));
	free(t);
	return status;
}
