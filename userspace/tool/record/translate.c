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
#include "sim/sim.h"
#include "source/runs.h"
#include "source/share.h"
#include "source/translate.h"
#include "../cli/tool.h"
#include "file.h"
#include "rate.h"
#include "record.h"
#include "translate.h"
#include "truth/file.h"
#include "code/vdso.h"

#define LOOK_NS		100000		/* between looks that find nothing */
#define DRAIN_TICKS	50000000	/* TSC ticks between looks at the sideband */
#define FLUSH_TICKS	500000000	/* and what a kill -9 of the recorder may lose */

/* A slot for a thread: how far its records are read */
struct slot {
	uint32_t chunk;
	uint32_t at;
	struct xl_unit unit;
	struct translation *of;
};

/* A process of the program */
struct member {
	uint32_t area;
	pid_t pid;
	uint64_t map;		/* where it sees the shared file */
	int gone;		/* readable when it is; -1: it is */
	struct xl_runs runs;
	struct slot *slots[SOFTPT_XL_THREADS];
};

struct translation {
	const struct xl_job *job;
	struct xl_share share;
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
	struct member **members;
	unsigned int nr;
	uint64_t drained;
	uint64_t flushed;
	struct rate rate;
	int err;
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

	return len ? softpt_perf_writer_thread(s->of->writer, s->unit.tid, unit_tsc(&s->unit), buf,
					       len) : 0;
}

static uint64_t record_time(const struct translation *t, uint64_t tsc)
{
	return t->setup.time_zero +
		(uint64_t)((__uint128_t)tsc * t->setup.time_mult >> t->setup.time_shift);
}

/* The trace of a thread begins. */
static int put_start(struct translation *t, pid_t pid, const struct xl_unit *u)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		struct softpt_perf_id id;
	} rec = {
		.header = { .type = PERF_RECORD_ITRACE_START, .size = sizeof(rec) },
		.pid = pid, .tid = u->tid,
		.id = {
			.pid = pid, .tid = u->tid, .time = record_time(t, unit_tsc(u)), .cpu = -1,
		},
	};

	return softpt_perf_writer_record(t->writer, &rec.header);
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
	memcpy(bytes, (char *)xl_process(&t->share, m->area) + SOFTPT_XL_CODE_AT + e->first,
	       e->steps);
	return softpt_perf_writer_code(t->writer, &code, s->unit.tid,
				       record_time(t, unit_tsc(&s->unit)));
}

/* Mappings first: a file that ends here must hold those that its trace needs. */
static void drain_sideband(struct translation *t)
{
	if (!t->err)
		t->err = sideband_drain(t->sideband, t->writer);
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
	if (u->err && !t->err)
		t->err = u->err;
	add_counts(t, u);
	sim_free(u->sim);
	u->sim = NULL;
}

static void begin_unit(struct translation *t, struct member *m, struct slot *s,
		       const struct softpt_xl_escape *e)
{
	const struct sim_output out = { .bytes = put_bytes, .ctx = s };

	end_unit(t, &s->unit, e->tsc);
	s->of = t;
	/* The model clock begins at 1: a TSC of 0 is none to perf. */
	s->unit = (struct xl_unit){
		.runs = &m->runs, .tid = e->from, .model = is_model(t),
		.cycles = 1, .sim = sim_new(&t->cfg, &out),
	};
	if (!s->unit.sim) {
		t->err = -ENOMEM;
		return;
	}
	sim_live(s->unit.sim);
	if (!s->unit.model)
		sim_hold_psb(s->unit.sim);
	drain_sideband(t);
	xl_unit_begin(&s->unit, e->to, e->tsc);
	if (!t->err)
		t->err = put_start(t, m->pid, &s->unit);
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
		t->err = put_code(t, m, s, e);
	else
		xl_unit_escape(&s->unit, e);
}

/* Records at @from, up to @to */
static void take(struct translation *t, struct member *m, struct slot *s, const uint32_t *from,
		 const uint32_t *to)
{
	struct softpt_xl_escape e;

	while (from < to && !t->err) {
		if (*from != SOFTPT_XL_ESCAPE && !s->unit.sim) {
			t->err = -EBADMSG;
			return;
		}
		from = xl_unit_exits(&s->unit, from, to);
		if (s->unit.err)
			t->err = s->unit.err;
		if (from == to || t->err)
			return;
		if ((size_t)(to - from) < sizeof(e) / sizeof(*from)) {
			t->err = -EBADMSG;
			return;
		}
		memcpy(&e, from, sizeof(e));
		take_escape(t, m, s, &e);
		from += sizeof(e) / sizeof(*from);
	}
	if (s->unit.err && !t->err)
		t->err = s->unit.err;
}

/* Whatever the process has written there, within the chunk */
static uint32_t whole_records(uint64_t bytes)
{
	return (bytes < SOFTPT_XL_CHUNK ? bytes : SOFTPT_XL_CHUNK) & ~3u;
}

/* One chunk of a thread. Return: whether it goes on with another */
static bool look_chunk(struct translation *t, struct member *m, struct slot *s, uint32_t number)
{
	struct softpt_xl_process *p = xl_process(&t->share, m->area);
	struct softpt_xl_words *w = (void *)((char *)p + softpt_xl_words_at(number));
	const uint64_t at = softpt_xl_chunk_at(number, s->chunk);
	const uint64_t base = m->map + softpt_xl_area(m->area) + at;
	uint32_t filled = __atomic_load_n(&w->filled[s->chunk], __ATOMIC_ACQUIRE);
	uint64_t cursor = __atomic_load_n(&w->cursor, __ATOMIC_ACQUIRE);
	uint32_t end = s->at;
	const char *chunk = (const char *)p + at;

	if (filled)
		end = whole_records(filled - 1);
	else if (cursor >= base && cursor <= base + SOFTPT_XL_CHUNK)
		end = whole_records(cursor - base);
	if (__atomic_load_n(&w->filled[s->chunk], __ATOMIC_ACQUIRE) != filled)
		return true;	/* it was handed over meanwhile */
	if (end > s->at)
		take(t, m, s, (const void *)(chunk + s->at), (const void *)(chunk + end));
	s->at = end > s->at ? end : s->at;
	if (!filled) {
		__atomic_store_n(&w->seen, base + s->at, __ATOMIC_RELEASE);
		return false;
	}
	__atomic_store_n(&w->filled[s->chunk], 0, __ATOMIC_RELEASE);
	s->chunk = (s->chunk + 1) % SOFTPT_XL_CHUNKS;
	s->at = 0;
	return true;
}

/* Return: whether there was anything new */
static bool look_slot(struct translation *t, struct member *m, uint32_t number)
{
	struct slot *s = m->slots[number];
	uint32_t chunk, at;
	int chunks = 0;

	if (!s) {
		s = calloc(1, sizeof(*s));
		m->slots[number] = s;
		if (!s) {
			t->err = -ENOMEM;
			return false;
		}
	}
	chunk = s->chunk;
	at = s->at;
	while (look_chunk(t, m, s, number) && !t->err && ++chunks < SOFTPT_XL_CHUNKS)
		;
	return chunk != s->chunk || at != s->at;
}

static bool look_member(struct translation *t, struct member *m)
{
	uint32_t i, slots = __atomic_load_n(&xl_process(&t->share, m->area)->slots,
					    __ATOMIC_ACQUIRE);
	bool any = false;

	for (i = 0; i < slots && i < SOFTPT_XL_THREADS && !t->err; i++)
		any |= look_slot(t, m, i);
	return any;
}

/* ---- processes ---- */

static struct member *member_of(const struct translation *t, uint32_t area)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->members[i]->area == area)
			return t->members[i];
	return NULL;
}

static void add_member(struct translation *t, uint32_t area)
{
	const struct softpt_xl_process *p = xl_process(&t->share, area);
	struct member **more = reallocarray(t->members, t->nr + 1, sizeof(*more));
	struct member *m = more ? calloc(1, sizeof(*m)) : NULL;

	if (more)
		t->members = more;
	if (!m) {
		t->err = -ENOMEM;
		return;
	}
	m->area = area;
	m->pid = p->pid;
	m->map = p->map;
	t->err = xl_runs_init(&m->runs, p, &t->cfg);
	m->gone = syscall(SYS_pidfd_open, m->pid, 0);
	t->members[t->nr++] = m;
}

/* Those that have begun since the last look */
static void find_members(struct translation *t)
{
	const struct softpt_xl_shared *shared = t->share.map;
	uint32_t i, taken = __atomic_load_n(&shared->taken, __ATOMIC_ACQUIRE);

	for (i = 0; i < taken && i < SOFTPT_XL_PROCESSES && !t->err; i++) {
		uint32_t state = __atomic_load_n(&xl_process(&t->share, i)->state,
						 __ATOMIC_ACQUIRE);

		if ((state == SOFTPT_XL_LIVE || state == SOFTPT_XL_ENDED) && !member_of(t, i))
			add_member(t, i);
	}
}

static bool is_gone(const struct translation *t, const struct member *m)
{
	struct pollfd p = { .fd = m->gone, .events = POLLIN };

	return __atomic_load_n(&xl_process(&t->share, m->area)->state, __ATOMIC_ACQUIRE) ==
	       SOFTPT_XL_ENDED || m->gone < 0 || poll(&p, 1, 0) > 0;
}

static void drop_member(struct translation *t, unsigned int i)
{
	struct member *m = t->members[i];
	unsigned int k;

	for (k = 0; k < SOFTPT_XL_THREADS; k++) {
		if (m->slots[k])
			end_unit(t, &m->slots[k]->unit, tsc_now());
		free(m->slots[k]);
	}
	if (m->gone >= 0)
		close(m->gone);
	xl_runs_free(&m->runs);
	free(m);
	t->members[i] = t->members[--t->nr];
}

/* It has ended; but a child that was forked just before may still need its area. */
static bool needs_area(const struct translation *t, const struct member *m)
{
	return __atomic_load_n(&xl_process(&t->share, m->area)->forks, __ATOMIC_ACQUIRE);
}

/* All threads of all processes. Return: whether there was anything new */
static bool look(struct translation *t)
{
	bool any = false, gone;
	unsigned int i;

	find_members(t);
	for (i = 0; i < t->nr && !t->err;) {
		gone = is_gone(t, t->members[i]);
		any |= look_member(t, t->members[i]);
		if (!gone || look_member(t, t->members[i]) || needs_area(t, t->members[i])) {
			i++;
			continue;
		}
		xl_share_free(&t->share, t->members[i]->area);
		drop_member(t, i);
	}
	return any;
}

/* So far: units that have ended, and those that are there */
static void show_rate(struct translation *t)
{
	uint64_t branches = t->branches, bytes = t->counts.bytes;
	const struct xl_unit *u;
	unsigned int i, k;

	for (i = 0; i < t->nr; i++)
		for (k = 0; k < SOFTPT_XL_THREADS && t->members[i]->slots[k]; k++) {
			u = &t->members[i]->slots[k]->unit;
			branches += u->sim ? u->branches : 0;
			bytes += u->sim ? sim_engine(u->sim)->counts.bytes : 0;
		}
	rate_show(&t->rate, branches, bytes);
}

static void flush(struct translation *t)
{
	unsigned int i, k;

	drain_sideband(t);
	for (i = 0; i < t->nr; i++)
		for (k = 0; k < SOFTPT_XL_THREADS; k++)
			if (t->members[i]->slots[k] && t->members[i]->slots[k]->unit.sim && !t->err)
				t->err = sim_flush(t->members[i]->slots[k]->unit.sim);
	t->flushed = tsc_now();
}

static void follow(struct translation *t)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS }, none = { 0 };
	struct pollfd p = { .fd = t->target.signals, .events = POLLIN };
	bool any = false;

	while (!t->target.exited && !t->target.stop && !t->err) {
		if (ppoll(&p, 1, any ? &none : &nap, NULL) > 0)
			target_signal(&t->target);
		any = look(t);
		if (tsc_now() - t->flushed > FLUSH_TICKS)
			flush(t);
		else if (tsc_now() - t->drained > DRAIN_TICKS)
			drain_sideband(t);
		show_rate(t);
	}
	rate_end(&t->rate);
	/* All that was written by now: a process that is left writes on without end. */
	if (!t->err)
		look(t);
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
	while (t->nr)
		drop_member(t, t->nr - 1);
	xl_share_close(&t->share);	/* nobody waits for its chunks to be read */
	end = softpt_perf_writer_end(t->writer);
	t->writer = NULL;
	tell(t);
	if (t->err == -EBADMSG)
		return refuse(t->job->path,
			      "the program has overwritten its records: the recording is broken");
	if (!t->err)
		t->err = end;
	return t->err ? refuse(t->job->path, "%s", softpt_strerror(t->err)) : 0;
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

const char *record_translate_refusal(const struct xl_job *job)
{
	const char *why = config_refusal(&job->cfg);
	char path[PATH_MAX];

	if (!why && !xl_find(job->argv[0], path, sizeof(path)))
		why = xl_refusal(path);
	if (!why && !xl_runtime(path, sizeof(path)))
		why = "softpt-translate is neither beside softpt nor installed";
	return why;
}

static int start(struct translation *t)
{
	char runtime[PATH_MAX], env[PATH_MAX + 64], file[PATH_MAX];
	const char *why = config_refusal(&t->job->cfg);
	int status, err;

	if (why)
		return refuse("record", "%s", why);
	set_config(t);
	err = xl_find(t->job->argv[0], file, sizeof(file));
	if (err) {
		refuse(t->job->argv[0], "%s",
		       err == -ENOENT ? "command not found" : strerror(-err));
		return err == -ENOENT ? 127 : 126;
	}
	why = xl_refusal(file);
	if (why)
		return refuse(file, "%s: it can't be translated (--how=ptrace)", why);
	if (!xl_runtime(runtime, sizeof(runtime)))
		return refuse("record", "softpt-translate is neither beside softpt nor installed");
	err = xl_share_open(&t->share);
	if (err)
		return refuse("record", "shared memory: %s", softpt_strerror(err));
	snprintf(env, sizeof(env), SOFTPT_XL_ENV "=%d:%s", t->share.fd, file);
	t->target.runtime = runtime;
	t->target.env = env;
	t->target.keep = t->share.fd;
	status = find_cpus(t);
	if (!status)
		status = target_signals(&t->target);
	if (!status)
		status = target_start(&t->target, t->job->argv, -1, t->job->cpu);
	return status ? status : run_program(t);
}

int record_translate(const struct xl_job *job)
{
	struct translation t = { .job = job };
	int status;

	t.file = trace_create(job->path, &t.is_new);
	if (t.file < 0)
		return refuse(job->path, "%s", strerror(errno));
	status = start(&t);
	softpt_perf_writer_end(t.writer);
	sideband_close(t.sideband);
	free(t.members);
	free(t.cpus);
	xl_share_close(&t.share);
	if (t.is_new)
		unlink(job->path);
	if (close(t.file) && !status)
		status = refuse(job->path, "%s", strerror(errno));
	return status;
}
