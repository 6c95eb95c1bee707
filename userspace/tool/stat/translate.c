// SPDX-License-Identifier: BSD-2-Clause
/* softpt stat --how=translate: a program runs in translation, and what it executes is counted */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <softpt/classes.h>

#include "base/tsc.h"
#include "../cli/tool.h"
#include "../record/members.h"
#include "../record/translated.h"
#include "source/tally.h"
#include "print.h"
#include "job.h"

#define LOOK_NS	100000	/* between looks that find nothing */

struct tallying {
	const struct stat *stat;
	struct members all;
	struct target target;
	struct softpt_config cfg;
	uint64_t gone[XL_COUNTS];	/* of processes that are no more */
	uint64_t told[SOFTPT_COUNTERS];	/* in the intervals before */
	double begin;
};

/* ---- what is counted ---- */

#define SEEN_BRANCHES	(SOFTPT_SUB_BRANCHES_TAKEN | SOFTPT_SUB_BRANCHES_NOT_TAKEN)

static bool is_seen(const struct softpt_spec *spec)
{
	if (spec->usr != UINT32_MAX)
		return false;
	switch (spec->event_class) {
	case SOFTPT_CLASS_INSTRUCTIONS:
	case SOFTPT_CLASS_BRANCH_INSTRUCTIONS:
	case SOFTPT_CLASS_SYSTEM_CALLS:
		return true;
	case SOFTPT_CLASS_BRANCHES:
		return spec->mask == STAT_ALL || !(spec->mask & ~SEEN_BRANCHES);
	}
	return false;
}

/* @n: by enum xl_count */
static uint64_t branches(const uint64_t *n, uint16_t mask)
{
	uint64_t sum = 0;

	if (mask & SOFTPT_SUB_BRANCHES_TAKEN)
		sum += n[XL_TAKEN] + n[XL_JUMPS] + n[XL_INDIRECT_JUMPS] + n[XL_CALLS] +
		       n[XL_INDIRECT_CALLS] + n[XL_RETURNS];
	if (mask & SOFTPT_SUB_BRANCHES_NOT_TAKEN)
		sum += n[XL_CONDITIONAL] - n[XL_TAKEN];
	return sum;
}

static uint64_t branch_instructions(const uint64_t *n, uint16_t mask)
{
	/* What each count is of: one that has any of them is counted once. */
	static const struct {
		enum xl_count count;
		uint16_t is;
	} rows[] = {
		{ XL_CONDITIONAL, SOFTPT_SUB_BRANCH_INSTRUCTIONS_CONDITIONAL },
		{ XL_JUMPS, SOFTPT_SUB_BRANCH_INSTRUCTIONS_JUMP },
		{ XL_CALLS, SOFTPT_SUB_BRANCH_INSTRUCTIONS_CALL },
		{ XL_RETURNS, SOFTPT_SUB_BRANCH_INSTRUCTIONS_RETURN },
		{ XL_INDIRECT_JUMPS, SOFTPT_SUB_BRANCH_INSTRUCTIONS_JUMP |
				     SOFTPT_SUB_BRANCH_INSTRUCTIONS_INDIRECT },
		{ XL_INDIRECT_CALLS, SOFTPT_SUB_BRANCH_INSTRUCTIONS_CALL |
				     SOFTPT_SUB_BRANCH_INSTRUCTIONS_INDIRECT },
	};
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		sum += rows[i].is & mask ? n[rows[i].count] : 0;
	return sum;
}

static uint64_t value_of(const struct softpt_spec *spec, const uint64_t *n)
{
	switch (spec->event_class) {
	case SOFTPT_CLASS_INSTRUCTIONS:
		return spec->mask & SOFTPT_SUB_INSTRUCTIONS_RETIRED ? n[XL_INSNS] : 0;
	case SOFTPT_CLASS_BRANCHES:
		return branches(n, spec->mask);
	case SOFTPT_CLASS_BRANCH_INSTRUCTIONS:
		return branch_instructions(n, spec->mask);
	}
	return spec->mask & SOFTPT_SUB_SYSTEM_CALLS_ENTER ? n[XL_SYSCALLS] : 0;
}

const char *stat_translate_refusal(const struct stat_job *job)
{
	const struct stat *s = &job->stat;
	unsigned int i;

	if (!s->argv || job->system || job->alone)
		return "it counts one program, its threads and children";
	if (s->per_thread)
		return "--per-thread";
	if (job->set.nr_steps || job->set.stopped)
		return "--count and :stop";
	for (i = 0; i < SOFTPT_COUNTERS; i++)
		if (job->preset[i])
			return ":preset";
	for (i = 0; i < s->nr; i++)
		if (!is_seen(&s->event[i].spec))
			return s->event[i].name;
	return translated_refusal(s->argv[0]);
}

/* ---- while it runs ---- */

static const uint32_t *take(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			    const uint32_t *to)
{
	struct tallying *t = ctx;

	if (!m->tally)
		m->tally = xl_tally_new(m->runs.process);
	t->all.err = m->tally ? xl_tally_records(m->tally, from, to, &s->last) : -ENOMEM;
	return to;
}

static void end(void *ctx, struct slot *s)
{
	(void)ctx;
	(void)s;
}

static void gone(void *ctx, struct member *m)
{
	struct tallying *t = ctx;

	if (m->tally)
		xl_tally_add(m->tally, t->gone);
	xl_tally_free(m->tally);
	m->tally = NULL;
}

/* So far, or since the last time */
static void tell(struct tallying *t)
{
	const struct stat *s = t->stat;
	const struct stat_place at = { .seconds = s->interval_ms ? seconds_now() - t->begin : -1 };
	uint64_t values[SOFTPT_COUNTERS], sum[XL_COUNTS], value;
	unsigned int i;

	memcpy(sum, t->gone, sizeof(sum));
	for (i = 0; i < t->all.nr; i++)
		if (t->all.member[i]->tally)
			xl_tally_add(t->all.member[i]->tally, sum);
	for (i = 0; i < s->nr; i++) {
		value = value_of(&s->event[i].spec, sum);
		values[i] = value - t->told[i];
		t->told[i] = s->interval_ms ? value : 0;
	}
	stat_print(s, &at, values);
}

static void follow(struct tallying *t)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS }, none = { 0 };
	struct pollfd p = { .fd = t->target.signals, .events = POLLIN };
	const double interval = t->stat->interval_ms / 1000.0;
	double next = t->begin + interval;
	bool any = false;

	while (!t->target.exited && !t->target.stop && !t->all.err) {
		if (ppoll(&p, 1, any ? &none : &nap, NULL) > 0)
			target_signal(&t->target);
		any = members_look(&t->all);
		if (!interval || seconds_now() < next || t->target.exited)
			continue;
		tell(t);
		while (next <= seconds_now())
			next += interval;
	}
	if (!t->all.err)
		members_look(&t->all);
}

static int run_program(struct tallying *t)
{
	const struct stat *s = t->stat;
	int status;

	if (s->interval_ms)
		stat_print_begin(s);
	t->begin = seconds_now();
	status = target_go(&t->target, s->argv[0]);
	if (status)
		return status;
	follow(t);
	if (t->all.err == -EBADMSG)
		return refuse("stat", "the program has overwritten its records: nothing is counted");
	if (t->all.err)
		return refuse("stat", "%s", softpt_strerror(t->all.err));
	if (!s->interval_ms)
		stat_print_begin(s);
	tell(t);
	if (!s->interval_ms)
		stat_print_end(s, seconds_now() - t->begin,
			       t->target.exited ? &t->target.usage : NULL);
	return target_result(&t->target);
}

static int count(struct tallying *t, int cpu)
{
	int status;

	t->all.cfg = &t->cfg;
	t->all.take = take;
	t->all.end = end;
	t->all.gone = gone;
	t->all.ctx = t;
	status = translated_start(&t->target, &t->all.share, t->stat->argv, cpu);
	if (!status)
		status = run_program(t);
	members_free(&t->all);
	xl_share_close(&t->all.share);
	target_wait(&t->target);
	return status;
}

int stat_translate(struct stat_job *job)
{
	struct tallying *t = calloc(1, sizeof(*t));
	int err, status;

	if (!t)
		return refuse("stat", "out of memory");
	t->stat = &job->stat;
	status = stat_open(&job->stat);
	if (!status) {
		status = count(t, job->cpu);
		err = stat_close(&job->stat);
		status = status ? status : err;
	}
	free(t);
	return status;
}
