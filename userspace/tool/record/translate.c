// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record --how=translate: the program runs in translation, and leaves records in shared
 * memory. This process makes packets of them, a unit and a trace for each thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/tsc.h"
#include "sideband/system.h"
#include "sim/sim.h"
#include "../cli/tool.h"
#include "file.h"
#include "job.h"
#include "members.h"
#include "rate.h"
#include "record.h"
#include "translated.h"
#include "truth/file.h"
#include "code/vdso.h"

#define LOOK_NS		100000		/* between looks that find nothing */
#define DRAIN_TICKS	50000000	/* TSC ticks between looks at the sideband */
#define FLUSH_TICKS	500000000	/* and what a kill -9 of the recorder may lose */

struct translation {
	const struct record_job *job;
	struct members all;
	struct target target;
	struct sideband *sideband;
	unsigned int *cpus;
	unsigned int nr_cpus;
	struct softpt_perf_writer *writer;
	struct softpt_perf_setup setup;
	struct softpt_config cfg;
	struct softpt_counts counts;
	uint64_t branches;
	int file;
	bool is_new;
	uint64_t drained;
	uint64_t flushed;
	struct rate rate;
};

static bool is_model(const struct translation *t)
{
	return t->cfg.clock == SOFTPT_CLOCK_MODEL;
}

/* Not 0, which says that there is no time */
static uint64_t unit_tsc(const struct xl_unit *u)
{
	uint64_t tsc = u->model ? u->cycles : u->now;

	return tsc ? tsc : 1;
}

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct slot *s = ctx;
	struct translation *t = s->ctx;

	return len ? softpt_perf_writer_thread(t->writer, s->unit.tid, unit_tsc(&s->unit), buf,
					       len) : 0;
}

static uint64_t record_time(const struct translation *t, uint64_t tsc)
{
	return t->setup.time_zero +
		(uint64_t)((__uint128_t)tsc * t->setup.time_mult >> t->setup.time_shift);
}

/* Code that no file holds. It was there when the thread came to it: at the last time known. */
static int put_code(struct translation *t, struct member *m, const struct slot *s,
		    const struct softpt_xl_escape *e)
{
	uint8_t bytes[SOFTPT_XL_BLOCK];
	const struct softpt_perf_code code = {
		.addr = e->from, .pid = m->pid, .len = e->steps, .bytes = bytes,
	};

	if (e->steps > sizeof(bytes) || e->first > SOFTPT_XL_CODE - sizeof(bytes) ||
	    !s->unit.sim)
		return -EBADMSG;
	memcpy(bytes, (char *)xl_process(&t->all.share, m->area) + SOFTPT_XL_CODE_AT + e->first,
	       e->steps);
	return softpt_perf_writer_code(t->writer, &code, s->unit.tid,
				       record_time(t, unit_tsc(&s->unit)));
}

/* Mappings first: a file that ends here must hold those that its trace needs. */
static void drain_sideband(struct translation *t)
{
	if (!t->all.err)
		t->all.err = sideband_drain(t->sideband, t->writer);
	t->drained = tsc_now();
}

/* ---- threads ---- */

static void add_counts(struct translation *t, const struct xl_unit *u)
{
	const struct softpt_counts *c = &sim_engine(u->sim)->counts;

	t->counts.events += c->events;
	t->counts.packets += c->packets;
	t->counts.bytes += c->bytes;
	t->counts.mtc += c->mtc;
	t->counts.mtc_suppressed += c->mtc_suppressed;
	t->branches += u->branches;
}

static void end_unit(struct translation *t, struct xl_unit *u, uint64_t tsc)
{
	if (!u->sim)
		return;
	xl_unit_end(u, tsc);
	if (u->err && !t->all.err)
		t->all.err = u->err;
	add_counts(t, u);
	sim_free(u->sim);
	u->sim = NULL;
}

/* Its process is gone: by an exit, a signal, or an exec, which the next program's begin follows. */
static void end_slot(void *ctx, struct slot *s)
{
	end_unit(ctx, &s->unit, s->unit.in_kernel ? s->unit.now : tsc_now());
}

struct executed {
	struct translation *t;
	const struct xl_unit *next;
	pid_t tid;
};

/* Of a thread that has executed another program, and is in another process's area now */
static int end_executed(struct xl_unit *u, void *arg)
{
	const struct executed *x = arg;

	if (u->tid == x->tid && u != x->next)
		end_unit(x->t, u, u->now);
	return 0;
}

static void begin_unit(struct translation *t, struct member *m, struct slot *s,
		       const struct softpt_xl_escape *e)
{
	const struct sim_output out = { .bytes = put_bytes, .ctx = s };

	struct executed x = { .t = t, .next = &s->unit, .tid = e->from };

	end_unit(t, &s->unit, e->tsc);
	members_each(&t->all, end_executed, &x);
	s->ctx = t;
	/* The model clock begins at 1: a TSC of 0 is none to perf. */
	s->unit = (struct xl_unit){
		.runs = &m->runs, .tid = e->from, .model = is_model(t),
		.cycles = 1, .sim = sim_new(&t->cfg, &out),
	};
	if (!s->unit.sim) {
		t->all.err = -ENOMEM;
		return;
	}
	sim_live(s->unit.sim);
	if (!s->unit.model)
		sim_hold_psb(s->unit.sim);
	drain_sideband(t);
	xl_unit_begin(&s->unit, e->to, e->tsc);
	if (!t->all.err)
		t->all.err = start_put(t->writer, m->pid, s->unit.tid, -1,
				       record_time(t, unit_tsc(&s->unit)));
}

/* ---- records ---- */

static void take_escape(struct translation *t, struct member *m, struct slot *s,
			const struct softpt_xl_escape *e)
{
	if (e->what == SOFTPT_XL_THREAD)
		begin_unit(t, m, s, e);
	else if (e->what == SOFTPT_XL_END)
		end_unit(t, &s->unit, e->tsc);
	else if (e->what == SOFTPT_XL_BYTES)
		t->all.err = put_code(t, m, s, e);
	else
		xl_unit_escape(&s->unit, e);
}

/* Records at @from, up to @to */
static void take(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		 const uint32_t *to)
{
	struct translation *t = ctx;
	struct softpt_xl_escape e;

	while (from < to && !t->all.err) {
		if (*from != SOFTPT_XL_ESCAPE && !s->unit.sim) {
			t->all.err = -EBADMSG;
			return;
		}
		from = xl_unit_exits(&s->unit, from, to);
		if (s->unit.err)
			t->all.err = s->unit.err;
		if (from == to || t->all.err)
			return;
		if ((size_t)(to - from) < sizeof(e) / sizeof(*from)) {
			t->all.err = -EBADMSG;
			return;
		}
		memcpy(&e, from, sizeof(e));
		take_escape(t, m, s, &e);
		from += sizeof(e) / sizeof(*from);
	}
	if (s->unit.err && !t->all.err)
		t->all.err = s->unit.err;
}

static int add_unit(struct xl_unit *u, void *arg)
{
	struct softpt_counts *c = arg;

	c->events += u->branches;
	c->bytes += sim_engine(u->sim)->counts.bytes;
	return 0;
}

/* So far: units that have ended, and those that are there */
static void show_rate(struct translation *t)
{
	struct softpt_counts c = { .events = t->branches, .bytes = t->counts.bytes };

	if (!rate_is_due(&t->rate))
		return;
	members_each(&t->all, add_unit, &c);
	rate_show(&t->rate, c.events, c.bytes);
}

static int flush_unit(struct xl_unit *u, void *arg)
{
	(void)arg;
	return sim_flush(u->sim);
}

static void flush(struct translation *t)
{
	drain_sideband(t);
	if (!t->all.err)
		t->all.err = members_each(&t->all, flush_unit, NULL);
	t->flushed = tsc_now();
}

static void follow(struct translation *t)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS }, none = { 0 };
	struct pollfd p = { .fd = t->target.signals, .events = POLLIN };
	bool any = false;

	while (!t->target.exited && !t->target.stop && !t->all.err) {
		if (ppoll(&p, 1, any ? &none : &nap, NULL) > 0)
			target_signal(&t->target);
		any = members_look(&t->all);
		if (tsc_now() - t->flushed > FLUSH_TICKS)
			flush(t);
		else if (tsc_now() - t->drained > DRAIN_TICKS)
			drain_sideband(t);
		show_rate(t);
	}
	rate_end(&t->rate);
	/* All that was written by now: a process that is left writes on without end. */
	if (!t->all.err)
		members_look(&t->all);
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
	vdso_record(&t->setup);
	truth_remove(t->job->path);
	err = trace_begin(t->file);
	t->is_new = false;
	if (!err)
		err = softpt_perf_writer_new(&t->writer, t->file, &t->setup);
	return err ? refuse(t->job->path, "%s", softpt_strerror(err)) : 0;
}

static void tell(const struct translation *t)
{
	if (t->job->stats || isatty(STDERR_FILENO))
		fprintf(stderr,
			"softpt: %s: events %llu, packets %llu, bytes %llu, conditional branches %llu\n",
			t->job->path, t->counts.events, t->counts.packets, t->counts.bytes,
			(unsigned long long)t->branches);
}

static int finish(struct translation *t)
{
	int end;

	drain_sideband(t);
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

static int run_program(struct translation *t)
{
	const struct watched who = {
		.pid = t->target.pid, .tid = t->target.pid, .whole = true,
	};
	int status;

	t->sideband = sideband_open(&who, t->cpus, t->nr_cpus, is_model(t));
	if (!t->sideband)
		return refuse("record", "out of memory");
	status = begin_file(t);
	if (!status)
		status = target_go(&t->target, t->job->argv[0]);
	if (status)
		return status;
	follow(t);
	status = finish(t);
	target_wait(&t->target);
	if (status)
		return status;
	return t->target.stop ? 128 + SIGINT : target_status(t->target.wstatus);
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

const char *record_translate_refusal(const struct record_job *job)
{
	const char *why = config_refusal(&job->cfg);

	return why ? why : translated_refusal(job->argv[0]);
}

static int start(struct translation *t)
{
	const char *why = config_refusal(&t->job->cfg);
	int status;

	if (why)
		return refuse("record", "%s", why);
	set_config(t);
	status = find_cpus(t);
	if (!status)
		status = translated_start(&t->target, &t->all.share, t->job->argv, t->job->cpu);
	return status ? status : run_program(t);
}

int record_translate(const struct record_job *job)
{
	struct translation *t = calloc(1, sizeof(*t));
	int status;

	if (!t)
		return refuse("record", "out of memory");
	t->job = job;
	t->all.cfg = &t->cfg;
	t->all.take = take;
	t->all.end = end_slot;
	t->all.ctx = t;
	t->file = trace_create(job->path, &t->is_new);
	if (t->file < 0) {
		free(t);
		return refuse(job->path, "%s", strerror(errno));
	}
	status = start(t);
	softpt_perf_writer_end(t->writer);
	sideband_close(t->sideband);
	members_free(&t->all);
	free(t->cpus);
	xl_share_close(&t->all.share);
	if (t->is_new)
		unlink(job->path);
	if (close(t->file) && !status)
		status = refuse(job->path, "%s", strerror(errno));
	free(t);
	return status;
}
