// SPDX-License-Identifier: BSD-2-Clause
/* softpt record by the module: a session, a file, a program, and the rings until it ends */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tsc.h"
#include "../cli/device.h"
#include "../cli/tool.h"
#include "code/vdso.h"
#include "file.h"
#include "fragments.h"
#include "truth/file.h"

/* What a kill -9 of the recorder may lose */
#define DRAIN_MS	100
#define SYSTEM_DRAIN_MS	1000	/* the recorder is in its own trace */

/* @target.pid 0: there is none. @is_new: there was no file before, and nothing is in it yet */
struct recorder {
	struct record_job *job;
	struct fragments fragments;
	int file;
	bool is_new;
	int session;
	struct units units;
	struct target target;
	struct sideband *sideband;
	struct softpt_perf_writer *writer;
	struct pollfd *poll;
};

/* ---- while it runs ---- */

/* Mappings first: a file that ends here must hold those that its trace needs. */
static int drain(struct recorder *r)
{
	uint64_t tsc = r->job->cfg.clock == SOFTPT_CLOCK_MODEL ? 1 : tsc_now();
	int err = sideband_drain(r->sideband, r->writer);

	if (!err)
		err = softpt_perf_writer_look(r->writer);
	if (!err && r->job->trigger.most)
		return fragments_drain(&r->fragments, tsc);
	if (!err && r->job->trigger.set.nr)
		err = record_trigger_drain(&r->units, r->writer, tsc);
	else if (!err)
		err = units_drain(&r->units, r->writer, tsc);
	return err ? refuse(r->job->path, "%s", softpt_strerror(err)) : 0;
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
	r->poll[n++] = (struct pollfd){ .fd = r->job->attached.gone, .events = POLLIN };
	n += units_poll(&r->units, r->poll + n);
	sideband = n;
	n += sideband_poll(r->sideband, r->poll + n);
	if (poll(r->poll, n, r->job->system ? SYSTEM_DRAIN_MS : DRAIN_MS) < 0 && errno != EINTR)
		return refuse("record", "poll: %s", strerror(errno));
	for (i = 2; i < n; i++)
		lost |= r->poll[i].revents & POLLERR;
	if (lost)
		acknowledge_loss(r);
	sideband_polled(r->sideband, r->poll + sideband);
	if (r->poll[0].revents)
		target_signal(&r->target);
	if (r->job->attached.tid)
		r->target.exited = r->poll[1].revents || units_done(&r->units);
	return 0;
}

static int follow(struct recorder *r)
{
	int status = 0;

	target_limit(r->job->max_time);
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
	if (r->job->stats || isatty(STDERR_FILENO))
		fprintf(stderr,
			"softpt: %s: events %llu, packets %llu, bytes %llu, MTC %llu, suppressed %llu, overflows %llu, events lost %llu\n",
			r->job->path, sum.events, sum.packets, sum.bytes, sum.mtc,
			sum.mtc_suppressed, sum.overflows, sum.events_lost);
	if (r->job->trigger.set.nr && !r->job->trigger.most)
		record_trigger_tell(&r->job->trigger, &r->units, r->job->path);
	else if (sum.events_lost && !r->job->trigger.most)
		refuse(r->job->path, "%llu events were lost: give it a larger ring (-c ring=)",
		       sum.events_lost);
	if (!sum.events)
		refuse(r->job->path, "no event%s", r->job->system ? "" : r->job->attached.tid ?
		       ": the process has executed nothing" : ": the program was never stepped");
}

/* Disabled, the units send their closing anchors. */
static int finish(struct recorder *r)
{
	int err, status;

	softpt_session_disable(r->session, NULL);
	status = drain(r);
	if (!status && r->job->freeze.file)
		status = freeze_write(&r->job->freeze, r->units.unit[0]);
	err = softpt_perf_writer_end(r->writer);
	r->writer = NULL;
	if (err && !status)
		status = refuse(r->job->path, "%s", softpt_strerror(err));
	tell(r);
	if (r->units.truth && record_truth_close(r->units.truth) && !status)
		status = EXIT_REFUSED;
	r->units.truth = NULL;
	return status;
}

/* ---- the begin ---- */

static struct watched whom(const struct recorder *r)
{
	if (r->job->system)
		return (struct watched){ .pid = -1, .tid = -1 };
	if (r->job->attached.tid)
		return (struct watched){
			.pid = r->job->attached.pid, .tid = r->job->attached.tid, .runs = true
		};
	return (struct watched){ .pid = r->target.pid, .tid = r->target.pid };
}

static int open_file(struct recorder *r)
{
	r->file = trace_create(r->job->path, &r->is_new);
	return r->file < 0 ? refuse(r->job->path, "%s", strerror(errno)) : 0;
}

static int begin_sideband(struct recorder *r)
{
	const struct watched who = whom(r);
	int err;

	r->sideband = sideband_open(&who, r->units.cpus, r->units.nr,
				    r->job->cfg.clock == SOFTPT_CLOCK_MODEL);
	if (!r->sideband)
		return refuse("record", "out of memory");
	err = who.runs ? attached_watch(&r->job->attached, r->sideband, &r->units) : 0;
	return err ? refuse("record", "watching the threads: %s", softpt_strerror(err)) : 0;
}

static int begin_fragments(struct recorder *r)
{
	r->fragments = (struct fragments){
		.trigger = &r->job->trigger, .units = &r->units, .sideband = r->sideband,
		.writer = r->writer, .path = r->job->path, .session = r->session,
	};
	return fragments_begin(&r->fragments);
}

static int begin_file(struct recorder *r)
{
	struct softpt_perf_setup setup = { .cfg = &r->job->cfg, .level = r->job->level };
	const bool runs = r->job->attached.tid;
	unsigned int i;
	int err;

	sideband_clock(r->sideband, &setup);
	vdso_record(&setup);
	if (r->units.truth && record_truth_begin(r->units.truth))
		return EXIT_REFUSED;
	if (!r->units.truth)
		truth_remove(r->job->path);
	err = trace_begin(r->file);
	r->is_new = false;
	if (!err)
		err = softpt_perf_writer_new(&r->writer, r->file, &setup);
	if (!err && r->job->trigger.most)
		err = begin_fragments(r);
	if (!err && (r->job->system || runs))
		err = sideband_describe(r->sideband, r->writer);
	for (i = 0; i < r->units.nr && !err && !r->job->system; i++)
		err = sideband_begin(r->sideband, r->writer, r->units.cpus[i]);
	return err ? refuse(r->job->path, "%s", softpt_strerror(err)) : 0;
}

/* A file that was there is spared when the process may not be attached to. */
static int begin(struct recorder *r)
{
	int status = begin_sideband(r);

	if (!status && r->job->attached.tid)
		status = attached_go(&r->job->attached, r->session);
	if (!status && r->job->attached.tid)
		status = open_file(r);
	return status ? status : begin_file(r);
}

/* From the fork on the program must be let go, or told to go. */
static int record(struct recorder *r)
{
	int status, err = softpt_session_enable(r->session, &r->job->trigger.enabled);

	if (err == -EINVAL)
		return refuse(SOFTPT_DEVICE, "a stepped program is traced without os=1 and cr3");
	if (err)
		return refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err));
	status = r->job->freeze.file ? freeze_start(&r->job->freeze, r->session) : 0;
	if (status)
		return status;
	if (r->job->argv)
		status = target_start(&r->target, r->job->argv,
				      r->job->system ? -1 : r->session,
				      r->job->system ? -1 : r->job->cpu);
	if (!status)
		status = begin(r);
	if (!status && r->target.pid)
		status = target_go(&r->target, r->job->argv[0]);
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
	return target_result(&r->target);
}

static int with_session(struct recorder *r)
{
	int status = units_open(&r->units, r->session, r->job->cpu, r->job->cfg.ring);

	/* Signals, the end of a process, and of each CPU its unit and its sideband */
	r->poll = calloc(2 * r->units.nr + 2, sizeof(*r->poll));
	if (!status && !r->poll)
		status = refuse("record", "out of memory");
	if (!status && r->job->cfg.truth) {
		r->units.truth = record_truth_open(r->job->path, &r->job->cfg, r->units.nr);
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
	int err = r->job->alone ? 0 : softpt_session_step(r->session, SOFTPT_STEP_INHERIT);

	return err ? refuse(SOFTPT_DEVICE, "following threads and children: %s (--no-inherit?)",
			    softpt_strerror(err)) : 0;
}

static int with_device(struct recorder *r, int dev)
{
	struct record_job *job = r->job;
	int status = EXIT_REFUSED;

	r->session = device_session(dev, &job->cfg,
				    job->system ? SOFTPT_SOURCE_KERNEL : SOFTPT_SOURCE_STEP);
	if (r->session >= 0 && !inherit(r) &&
	    !record_trigger_set(&job->trigger, dev, r->session) &&
	    (job->attached.tid || !open_file(r)) &&
	    (!job->freeze.path || !freeze_set(&job->freeze, r->session)))
		status = with_session(r);
	if (freeze_close(&job->freeze) && !status)
		status = EXIT_REFUSED;
	if (r->session >= 0)
		close(r->session);
	if (r->is_new)
		unlink(job->path);
	if (r->file >= 0 && close(r->file) && !status)
		status = refuse(job->path, "%s", strerror(errno));
	return status;
}

int record_module(struct record_job *job)
{
	struct recorder r = { .job = job, .file = -1, .session = -1 };
	int dev, status;

	if (job->attached.tid && attached_find(&job->attached))
		return EXIT_REFUSED;
	dev = device_open();
	if (dev < 0)
		return EXIT_REFUSED;
	status = with_device(&r, dev);
	close(dev);
	return status;
}
