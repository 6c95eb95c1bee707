// SPDX-License-Identifier: BSD-2-Clause
/* softpt stat --how=module: the units of all CPUs count what a program or the kernel does */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/tsc.h"
#include "../cli/device.h"
#include "../cli/tool.h"
#include "print.h"
#include "job.h"

#define ATTACHED_MS	100	/* how often to look whether an attached process has gone */

struct counting {
	struct stat_job *job;
	const struct stat *stat;	/* its */
	unsigned int step;	/* of its set, which is next */
	int session;
	struct units units;
	struct target target;
	double begin;
	uint64_t told[SOFTPT_THREADS][SOFTPT_COUNTERS];	/* in the intervals before */
};

/* ---- what was counted ---- */

/* The sums of all units, by event; @thread -1: of all threads. Return: 0 or -errno */
static int sum_up(const struct counting *c, int thread, uint64_t *values)
{
	struct softpt_counter_values v;
	unsigned int i, k;
	int err;

	memset(values, 0, c->stat->nr * sizeof(*values));
	for (i = 0; i < c->units.nr; i++) {
		err = softpt_unit_counters(c->units.unit[i], thread, &v);
		if (err)
			return err;
		for (k = 0; k < c->stat->nr; k++) {
			const unsigned int from = c->stat->event[k].counter;

			values[k] += v.value[from] + (v.overflows[from] << SOFTPT_COUNTER_BITS);
			values[k] -= thread < 0 ? c->job->preset[from] : 0;
		}
	}
	return 0;
}

/* Where no intervals are told a counter counts on from its preset, once for all units. */
static void add_presets(const struct counting *c, uint64_t *values)
{
	unsigned int k;

	for (k = 0; k < c->stat->nr && !c->stat->interval_ms && !c->stat->per_thread; k++)
		values[k] += c->job->preset[c->stat->event[k].counter];
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

	for (k = 0; k < c->stat->nr; k++) {
		values[k] -= told[k];
		told[k] += values[k];
	}
	return any(values, c->stat->nr);
}

static int tell(struct counting *c)
{
	struct stat_place at = {
		.seconds = c->stat->interval_ms ? seconds_now() - c->begin : -1,
	};
	uint64_t values[SOFTPT_COUNTERS];
	unsigned int n = c->stat->per_thread ? SOFTPT_THREADS : 1, t;
	struct softpt_threads threads = { 0 };
	char name[32];
	int err;

	if (c->stat->per_thread)
		softpt_session_threads(c->session, &threads);
	for (t = 0; t < n; t++) {
		err = sum_up(c, c->stat->per_thread ? (int)t : -1, values);
		if (err)
			return refuse(SOFTPT_DEVICE, "reading counters: %s", softpt_strerror(err));
		if (!since(c, t, values) && c->stat->per_thread)
			continue;
		add_presets(c, values);
		snprintf(name, sizeof(name), "t%u-%d", t, threads.tid[t]);
		at.thread = c->stat->per_thread ? name : NULL;
		stat_print(c->stat, &at, values);
	}
	return 0;
}

/* ---- while it runs ---- */

static bool ended(const struct counting *c)
{
	return c->target.exited || c->target.stop ||
	       (c->job->attached.tid && units_done(&c->units));
}

/* When something is to be done to counters */
static double next_step(const struct counting *c)
{
	const struct counters *set = &c->job->set;

	return c->step < set->nr_steps ? c->begin + set->step[c->step].at / 1000.0 : INFINITY;
}

/* Milliseconds to wait for news: until @next or what is to be done, or for ever (-1) */
static int wait_for(const struct counting *c, double next)
{
	double ms = -1;

	next = c->stat->interval_ms ? next : INFINITY;
	next = fmin(next, next_step(c));
	if (isfinite(next))
		ms = fmin(fmax((next - seconds_now()) * 1000 + 1, 0), INT_MAX);
	if (c->job->attached.tid && (ms < 0 || ms > ATTACHED_MS))
		ms = ATTACHED_MS;
	return ms;
}

/* What was counted before a counter is cleared or preset is not told any more. */
static void forget(struct counting *c, uint32_t counters, const struct count_step *step)
{
	unsigned int k, i, t;

	for (k = 0; k < c->stat->nr; k++) {
		i = c->stat->event[k].counter;
		if (!(counters >> i & 1))
			continue;
		c->job->preset[i] = step->presets >> i & 1 ? step->preset[i] : 0;
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
		counter = c->job->set.plan.counter[k];
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
	const struct count_step *step = &c->job->set.step[c->step++];
	const uint32_t all = c->job->set.plan.counters;
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
	const double interval = c->stat->interval_ms / 1000.0;
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
	int status = device_count(c->session, c->job->set.plan.counters, false);

	if (!c->stat->interval_ms)
		stat_print_begin(c->stat);
	if (!status)
		status = tell(c);
	if (!status && !c->stat->interval_ms)
		stat_print_end(c->stat, elapsed, c->target.exited ? &c->target.usage : NULL);
	warn_of_losses(c);
	return status;
}

static int begin(struct counting *c)
{
	const int session = c->job->system ? -1 : c->session;
	const struct counters *set = &c->job->set;
	int status = 0;

	if (c->stat->argv)
		status = target_start(&c->target, c->stat->argv, session,
				      c->job->system ? -1 : c->job->cpu);
	if (!status)
		status = device_count(c->session, set->plan.counters & ~set->stopped, true);
	if (!status && c->job->attached.tid)
		status = attached_go(&c->job->attached, c->session);
	if (status)
		return status;
	c->begin = seconds_now();
	status = do_steps(c);	/* at 0: before its first instruction */
	if (status)
		return status;
	return c->target.pid ? target_go(&c->target, c->stat->argv[0]) : 0;
}

static int count(struct counting *c)
{
	int status, err = softpt_session_enable(c->session, NULL);

	if (err)
		return refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err));
	status = begin(c);
	if (status)
		return status;
	if (c->stat->interval_ms)
		stat_print_begin(c->stat);
	status = follow(c);
	if (!status)
		status = finish(c);
	softpt_session_disable(c->session, NULL);
	target_wait(&c->target);
	if (status || !c->target.pid)
		return status;
	return target_result(&c->target);
}

/* ---- the begin ---- */

static int with_session(struct counting *c)
{
	int status, err = 0;

	if (!c->job->alone && !c->job->system)
		err = softpt_session_step(c->session, SOFTPT_STEP_INHERIT);
	if (err)
		return refuse(SOFTPT_DEVICE, "following threads and children: %s",
			      softpt_strerror(err));
	status = device_counters(c->session, &c->job->set.plan,
				 c->job->system ? "the kernel" : "stepping a program");
	if (!status)
		status = units_open(&c->units, c->session, c->job->cpu, getpagesize());
	if (!status)
		status = target_signals(&c->target);
	if (!status)
		status = stat_open(&c->job->stat);
	if (!status) {
		status = count(c);
		err = stat_close(&c->job->stat);
		status = status ? status : err;
	}
	units_close(&c->units);
	return status;
}

/* No packets, and what a unit writes all the same overwrites itself. */
static int with_device(struct counting *c, int dev)
{
	struct softpt_config cfg;
	int status = EXIT_REFUSED;

	softpt_config_init(&cfg);
	cfg.flags = SOFTPT_F_USER;
	cfg.mode = SOFTPT_RING_SNAPSHOT;
	cfg.ring = getpagesize();
	c->session = device_session(dev, &cfg,
				    c->job->system ? SOFTPT_SOURCE_KERNEL : SOFTPT_SOURCE_STEP);
	if (c->session >= 0) {
		status = with_session(c);
		close(c->session);
	}
	return status;
}

int stat_module(struct stat_job *job)
{
	struct counting c = { .job = job, .stat = &job->stat };
	int dev, status;

	if (job->attached.tid && attached_find(&job->attached))
		return EXIT_REFUSED;
	dev = device_open();
	if (dev < 0)
		return EXIT_REFUSED;
	status = with_device(&c, dev);
	close(dev);
	return status;
}
