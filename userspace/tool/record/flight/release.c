// SPDX-License-Identifier: BSD-2-Clause
#include "release.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/tsc.h"
#include "../../cli/fragment.h"
#include "../../cli/tool.h"
#include "../file.h"
#include "../side.h"
#include "../take.h"

static double ms_since_begin(const struct translation *t, uint64_t tsc)
{
	return (tsc - t->begun.tsc) * (seconds_now() - t->begun.seconds) * 1e3 /
	       (tsc_now() - t->begun.tsc);
}

static void tell_trigger(const struct translation *t, const char *path)
{
	const struct flight *f = &t->flight;

	fprintf(stderr, "softpt: trigger: %s", f->trigger->set.text[f->index]);
	if (f->ip)
		fprintf(stderr, " at IP 0x%" PRIx64, f->ip);
	fprintf(stderr, " in thread %d after %.3f ms", f->tid, ms_since_begin(t, f->tsc));
	if (f->trigger->set.before.given)
		fprintf(stderr, ", %" PRIu64 " bytes before it", f->held);
	if (t->job->trigger.most)
		fprintf(stderr, ": %s", path);
	fputc('\n', stderr);
}

/* All records that are held become packets. */
static void release(struct translation *t)
{
	side_drain(t);
	t->flight.held = 0;
	t->replays = true;
	members_release(&t->all);
	/* A process that has flushed has no record of the trigger event any more. */
	t->flight.nr_marks = 0;
	if (!t->all.err)
		t->all.err = members_each_slot(&t->all, take_history, t);
	t->replays = false;
}

static int stop_unit(struct xl_unit *u, void *arg)
{
	struct translation *t = arg;

	take_end_unit(t, u, t->flight.trigger->set.after.n ? tsc_now() : t->flight.tsc);
	return 0;
}

/* ---- files ---- */

/* The next file, if this is not the first. Return: 0 or -errno */
static int begin_fragment(struct translation *t, const char *path)
{
	bool is_new;
	int err;

	if (!t->files)
		return 0;
	t->file = trace_create(path, &is_new);
	if (t->file < 0)
		return -errno;
	err = trace_begin(t->file);
	return err ? err : softpt_perf_writer_next(t->writer, t->file);
}

/* What follows goes to another file. Return: 0 or -errno */
static int end_fragment(struct translation *t)
{
	int err = softpt_perf_writer_next(t->writer, -1);

	t->files++;
	if (close(t->file) && !err)
		err = -errno;
	t->file = -1;
	return err;
}

/* All that was to follow the trigger event has. Return: whether another may come */
static bool finish(struct translation *t)
{
	members_each(&t->all, stop_unit, t);
	if (!flight_rearm(&t->flight))
		return false;
	t->all.err = t->all.err ? t->all.err : end_fragment(t);
	if (t->files < t->job->trigger.most)
		return true;
	fprintf(stderr, "softpt: trigger: what comes now has no file (--fragments %u)\n",
		t->job->trigger.most);
	return false;
}

static void begin(struct translation *t)
{
	char path[PATH_MAX];
	int err = fragment_name(path, sizeof(path), t->job->path, t->files);

	if (!err)
		err = begin_fragment(t, path);
	if (err) {
		t->all.err = err;
		return;
	}
	release(t);
	tell_trigger(t, path);
}

bool release_look(struct translation *t)
{
	const bool stopped = t->all.stop;

	t->all.stop = false;
	if (!t->flight.fired || t->all.what == MEMBERS_DROP || t->all.err)
		return false;
	if (t->all.what == MEMBERS_HOLD)
		begin(t);
	if (t->all.err || !flight_is_over(&t->flight))
		return stopped;
	if (finish(t))
		members_hold(&t->all);
	else
		t->all.what = MEMBERS_DROP;
	return stopped;
}

void release_end(struct translation *t)
{
	if (t->all.what != MEMBERS_HOLD || t->all.err || t->files)
		return;
	if (t->flight.trigger->set.nr)
		record_trigger_none(t->job->path);
	release(t);
}
