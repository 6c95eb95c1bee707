// SPDX-License-Identifier: BSD-2-Clause
/* softpt record --trigger */
#include "trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include <softpt/params.h>

#include "base/number.h"
#include "../cli/tool.h"

#define FRAGMENTS	100		/* files, if --fragments does not say */
#define KEPT_FREE	(64 * 1024)	/* at most a quarter: what a snapshot ring has in reserve */

int record_trigger_option(const struct command *cmd, struct record_trigger *t, int which,
			  const char *text)
{
	uint64_t n;

	switch (which) {
	case 0:
		if (name_is(text))
			return name_option(cmd, &t->set, &t->names, text);
		return trigger_option(cmd, &t->set, text);
	case 1:
		return before_option(cmd, &t->set, text);
	case 2:
		return after_option(cmd, &t->set, text);
	case 3:
		if (!softpt_number_within(text, 1, UINT_MAX, &n))
			return misuse(cmd, "--fragments %s: no number of files", text);
		t->most = n;
		return 0;
	}
	return trigger_option(cmd, &t->set, "signal=fatal");
}

static uint64_t kept(uint64_t ring)
{
	return ring - (ring / 4 < KEPT_FREE ? ring / 4 : KEPT_FREE);
}

int record_trigger_done(const struct command *cmd, struct record_trigger *t,
			struct softpt_config *cfg)
{
	bool rearm = false;
	uint64_t bytes;
	unsigned int i;

	if (!t->set.nr && !triggers_freeze(&t->set) && !t->most)
		return 0;
	if (cfg->mode != SOFTPT_RING_SNAPSHOT)
		return misuse(cmd, "a trigger freezes a ring that keeps the newest: not mode=stream");
	t->set.after.given = true;
	if (triggers_done(cmd, &t->set, cfg, &bytes))
		return EXIT_USAGE;
	if (t->set.before.given)
		for (cfg->ring = SOFTPT_RING_MIN; kept(cfg->ring) < bytes; cfg->ring *= 2)
			if (cfg->ring >= SOFTPT_RING_MAX)
				return misuse(cmd, "--before and --after: more than a ring of 1 GiB");
	for (i = 0; i < t->set.nr; i++) {
		struct softpt_trigger *trigger = &t->set.trigger[i];

		rearm |= trigger->flags & SOFTPT_TRIGGER_REARM;
		if (trigger->source == SOFTPT_ON_COUNTER)
			return misuse(cmd, "counter=K: nothing is counted here; event=CLASS,nth=N is the same");
		trigger->flags |= SOFTPT_TRIGGER_UNITS;
	}
	if (t->most && !rearm)
		return misuse(cmd, "--fragments: without rearm there is one");
	if (rearm && !t->most)
		t->most = FRAGMENTS;
	t->tsc_khz = cfg->clock == SOFTPT_CLOCK_WALL;
	return 0;
}

int record_trigger_set(struct record_trigger *t, int dev, int session)
{
	struct softpt_caps caps;
	unsigned int i;
	int err;

	if (t->names.moves)
		return refuse("record", "--trigger ip=NAME: the module does not know where %s will be: ip=ADDRESS, or --how=translate",
			      t->names.program);
	for (i = 0; i < t->set.nr; i++) {
		err = softpt_session_set_trigger(session, &t->set.trigger[i]);
		if (err == -ENOTTY)
			return refuse(SOFTPT_DEVICE, "the module is too old for triggers");
		if (err == -EOPNOTSUPP)
			return refuse(SOFTPT_DEVICE, "--trigger %s: nobody sees that of a stepped program",
				      t->set.text[i]);
		if (err)
			return refuse(SOFTPT_DEVICE, "--trigger %s: %s", t->set.text[i],
				      softpt_strerror(err));
	}
	if (t->tsc_khz)
		t->tsc_khz = softpt_device_caps(dev, &caps) ? 0 : caps.tsc_khz;
	return 0;
}

/* Where it can be read from: all of it, or the oldest PSB where what was before is gone */
static size_t begin_of(struct softpt_unit *unit, const uint8_t *bytes, size_t n)
{
	struct softpt_stream stream;
	struct softpt_status status;

	if (!softpt_unit_status(unit, &status) && status.head == n)
		return 0;
	softpt_stream_init(&stream, bytes, n);
	return softpt_sync_forward(&stream, 0, NULL) ? n : softpt_stream_offset(&stream);
}

int record_trigger_drain(struct units *u, struct softpt_perf_writer *w, uint64_t tsc)
{
	const uint8_t *bytes;
	unsigned int i;
	int err = 0;

	for (i = 0; i < u->nr && !err; i++) {
		size_t n = u->taken[i] ? 0 : softpt_unit_peek(u->unit[i], &bytes), cut;

		if (!n)
			continue;
		cut = begin_of(u->unit[i], bytes, n);
		if (cut < n)
			err = softpt_perf_writer_trace(w, u->cpus[i], tsc, bytes + cut, n - cut);
		softpt_unit_consume(u->unit[i], n);
		u->taken[i] = true;
	}
	return err;
}

void record_trigger_line(const struct record_trigger *t, const struct softpt_trigger_page *te,
			 unsigned int cpu, const char *path)
{
	fprintf(stderr, "softpt: trigger: %s at IP 0x%" PRIx64 " on CPU %u",
		t->set.text[te->index], (uint64_t)te->ip, cpu);
	if (t->tsc_khz)
		fprintf(stderr, " after %.3f ms",
			(double)(int64_t)(te->tsc - t->enabled) / t->tsc_khz);
	else
		fprintf(stderr, " at TSC %" PRIu64, (uint64_t)te->tsc);
	if (path)
		fprintf(stderr, ": %s\n", path);
	else
		fputc('\n', stderr);
}

void record_trigger_none(const char *path)
{
	fprintf(stderr, "softpt: trigger: none: %s holds the last that the rings had\n", path);
}

void record_trigger_tell(const struct record_trigger *t, const struct units *u, const char *path)
{
	struct softpt_trigger_page page, first = { .events = 0 };
	unsigned int i, cpu = 0;

	for (i = 0; i < u->nr; i++) {
		softpt_unit_triggers(u->unit[i], &page);
		if (!page.events || (first.events && first.tsc <= page.tsc))
			continue;
		first = page;
		cpu = u->cpus[i];
	}
	if (first.events)
		record_trigger_line(t, &first, cpu, NULL);
	else
		record_trigger_none(path);
}
