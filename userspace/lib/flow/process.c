// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who ran where, and what code: the kernel's records of mappings, forks, execs and switches,
 * told in the order of their times while the trace is walked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "code/names/jitdump.h"
#include "flow/packets.h"
#include "flow/process.h"

/* Whom a CPU runs; of the trace of a thread, that thread */
struct place {
	int cpu;
	struct softpt_flow_thread *thread;
	struct place *next;
};

struct flow_processes {
	const struct softpt_perf *perf;
	const char *root;
	const struct error_sink *errors;
	size_t *order;		/* of the records, by time */
	size_t n;
	size_t at;
	struct symbol_files *files;
	struct code_files *code;
	struct flow_process *process;	/* the newest first: of a pid the first counts */
	struct softpt_flow_thread *thread;
	struct softpt_flow_thread *traced;	/* where no record says who runs */
	struct place *place;
	bool many;
	bool has_code;		/* that no file holds */
	flow_ran_fn ran;
	void *ran_ctx;
};

/* ---- processes and threads ---- */

/* What is at an address first was there before its record: a thread may have come to it earlier. */
static int put_first_code(struct flow_processes *p, struct flow_process *process)
{
	struct softpt_perf_record rec;
	struct softpt_perf_code code;
	int err = 0;
	size_t i;

	for (i = 0; i < p->n && !err && p->has_code; i++) {
		softpt_perf_record(p->perf, p->order[i], &rec);
		if (softpt_perf_code_of(&rec, &code) && code.pid == process->pid)
			err = code_image_put(process->code, &code, false);
	}
	return err;
}

/* Compilers tell perf the names of what they have made. */
static int name_made_code(const struct flow_processes *p, const struct flow_process *process)
{
	char path[4096];
	const int n = snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", p->root, process->pid);

	return n < (int)sizeof(path) ? symbols_add_made(process->symbols, path) : 0;
}

static struct flow_process *add_process(struct flow_processes *p, uint32_t pid,
					const struct flow_process *parent)
{
	struct flow_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid;
	process->code = parent ? code_image_copy(parent->code, p->perf) :
				 code_image_new(p->code, p->perf);
	process->symbols = parent ? symbols_copy(parent->symbols) : symbols_new(p->files);
	process->mapped = parent ? parent->mapped : 0;
	process->next = p->process;
	p->process = process;
	if (!process->code || !process->symbols || name_made_code(p, process) ||
	    put_first_code(p, process))
		return NULL;
	return process;
}

static struct flow_process *find_process(const struct flow_processes *p, uint32_t pid)
{
	struct flow_process *process;

	for (process = p->process; process; process = process->next)
		if (process->pid == pid)
			return process;
	return NULL;
}

static struct flow_process *get_process(struct flow_processes *p, uint32_t pid)
{
	struct flow_process *process = find_process(p, pid);

	return process ? process : add_process(p, pid, NULL);
}

static struct softpt_flow_thread *find_thread(const struct flow_processes *p, uint32_t tid)
{
	struct softpt_flow_thread *t;

	for (t = p->thread; t; t = t->next)
		if (t->tid == tid)
			return t;
	return NULL;
}

static struct softpt_flow_thread *get_thread(struct flow_processes *p, uint32_t pid, uint32_t tid)
{
	struct softpt_flow_thread *t = find_thread(p, tid);

	if (t && t->pid == pid)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->pid = pid;
	t->tid = tid;
	t->process = get_process(p, pid);
	if (!t->process) {
		free(t);
		return NULL;
	}
	t->next = p->thread;
	p->thread = t;
	return t;
}

static struct place *get_place(struct flow_processes *p, int cpu)
{
	struct place *place;

	for (place = p->place; place; place = place->next)
		if (place->cpu == cpu)
			return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->cpu = cpu;
	place->next = p->place;
	p->place = place;
	return place;
}

/* ---- records ---- */

static int put_on(struct flow_processes *p, uint32_t pid, uint32_t tid, int cpu)
{
	struct softpt_flow_thread *t = get_thread(p, pid, tid);
	struct place *place = get_place(p, cpu);

	if (!t || !place)
		return -ENOMEM;
	place->thread = t;
	if (!p->traced)
		p->traced = t;
	return 0;
}

static int take_start(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	uint32_t ids[2];

	if (rec->size < sizeof(ids))
		return 0;
	memcpy(ids, rec->body, sizeof(ids));
	return put_on(p, ids[0], ids[1], rec->id.cpu);
}

/* A switch away from a thread says nothing: the next one in does. */
static int take_switch(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT || !rec->id.tid)
		return 0;
	return put_on(p, rec->id.pid, rec->id.tid, rec->id.cpu);
}

static int take_map(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	struct flow_process *process;
	struct softpt_perf_map map;
	char path[8192];
	int err;

	if (!softpt_perf_map_of(rec, &map) || map.pid == UINT32_MAX)
		return 0;
	process = get_process(p, map.pid);
	if (!process)
		return -ENOMEM;
	process->mapped = rec->id.time;
	snprintf(path, sizeof(path), "%s%s", p->root, map.name);
	err = code_image_add(process->code, &map, path);
	if (err == -ENOMEM)
		return err;
	if (err && map.name[0] == '/' && strcmp(map.name, "//anon"))
		error_tell(p->errors, path, err,
			   "the program's code can't be read (--root DIR)");
	if (map.prot & PROT_EXEC && jitdump_named(map.name) &&
	    symbols_add_dump(process->symbols, path))
		return -ENOMEM;
	return symbols_add(process->symbols, &map, path);
}

/* Mappings of the same time are behind the exec: the clock of the file stands still. */
static int take_exec(struct flow_processes *p, struct softpt_flow_thread *t, uint64_t time)
{
	if (t->process->mapped < time)
		t->process = add_process(p, t->pid, NULL);
	t->frames = 0;
	t->beyond = 0;
	return t->process ? 0 : -ENOMEM;
}

static int take_comm(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	struct softpt_flow_thread *t;
	uint32_t ids[2];
	size_t len = rec->size - sizeof(ids);

	if (rec->size < sizeof(ids))
		return 0;
	memcpy(ids, rec->body, sizeof(ids));
	t = get_thread(p, ids[0], ids[1]);
	if (!t)
		return -ENOMEM;
	if (len > sizeof(t->comm) - 1)
		len = sizeof(t->comm) - 1;
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, (const char *)rec->body + sizeof(ids), len);
	if (rec->misc & PERF_RECORD_MISC_COMM_EXEC)
		return take_exec(p, t, rec->id.time);
	return 0;
}

/* The child of a fork returns to where its parent would. */
static void inherit(struct softpt_flow_thread *t, const struct softpt_flow_thread *from)
{
	memcpy(t->comm, from->comm, sizeof(t->comm));
	if (t->pid == from->pid || !from->frames)
		return;
	t->frame = reallocarray(NULL, from->frames + FRAMES, sizeof(*t->frame));
	if (!t->frame)
		return;
	memcpy(t->frame, from->frame, from->frames * sizeof(*t->frame));
	t->frames = from->frames;
	t->beyond = from->beyond;
}

static int take_fork(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	struct { uint32_t pid, ppid, tid, ptid; } ids;
	struct flow_process *parent;
	struct softpt_flow_thread *t, *from;

	if (rec->size < sizeof(ids))
		return 0;
	memcpy(&ids, rec->body, sizeof(ids));
	parent = get_process(p, ids.ppid);
	if (!parent || (ids.pid != ids.ppid && !add_process(p, ids.pid, parent)))
		return -ENOMEM;
	/* Its number may have been another's. */
	t = find_thread(p, ids.tid);
	if (t)
		t->tid = 0;
	t = get_thread(p, ids.pid, ids.tid);
	if (!t)
		return -ENOMEM;
	from = find_thread(p, ids.ptid);
	if (from)
		inherit(t, from);
	return 0;
}

static int take_code(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	struct flow_process *process;
	struct softpt_perf_code code;

	if (!softpt_perf_code_of(rec, &code))
		return 0;
	process = get_process(p, code.pid);
	return process ? code_image_put(process->code, &code, true) : -ENOMEM;
}

static int take_record(struct flow_processes *p, const struct softpt_perf_record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_ITRACE_START:
		return take_start(p, rec);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(p, rec);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_map(p, rec);
	case PERF_RECORD_COMM:
		return take_comm(p, rec);
	case PERF_RECORD_FORK:
		return take_fork(p, rec);
	case PERF_RECORD_TEXT_POKE:
		return take_code(p, rec);
	}
	return 0;
}

/* ---- in the order of time ---- */

static uint64_t time_of(const struct flow_processes *p, size_t i)
{
	struct softpt_perf_record rec;

	return softpt_perf_record(p->perf, i, &rec) ? rec.id.time : 0;
}

static int by_time(const void *a, const void *b, void *context)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint64_t tx = time_of(context, x), ty = time_of(context, y);

	if (tx != ty)
		return tx < ty ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Who else gets a turn, as far as the records say */
static bool is_another(const struct softpt_perf_record *rec, uint32_t *tid)
{
	uint32_t now = 0;

	if (rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		now = rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? 0 : rec->id.tid;
	else if (rec->type == PERF_RECORD_ITRACE_START && rec->size >= 2 * sizeof(now))
		memcpy(&now, (const char *)rec->body + sizeof(now), sizeof(now));
	if (!now || now == *tid)
		return false;
	if (*tid)
		return true;
	*tid = now;
	return false;
}

static int sort(struct flow_processes *p)
{
	struct softpt_perf_record rec;
	uint32_t tid = 0;
	size_t i;

	while (softpt_perf_record(p->perf, p->n, &rec)) {
		p->many |= is_another(&rec, &tid);
		p->has_code |= rec.type == PERF_RECORD_TEXT_POKE;
		p->n++;
	}
	p->order = calloc(p->n + 1, sizeof(*p->order));
	if (!p->order)
		return -ENOMEM;
	for (i = 0; i < p->n; i++)
		p->order[i] = i;
	qsort_r(p->order, p->n, sizeof(*p->order), by_time, p);
	return 0;
}

static bool is_ours(const struct softpt_perf *perf)
{
	const struct softpt_perf_stream *stream;
	unsigned int i;

	for (i = 0; (stream = softpt_perf_stream(perf, i)); i++)
		if (flow_is_ours(stream->buf, stream->len))
			return true;
	return false;
}

/* Recordings of ours of a program say that it was traced; those of a processor are of programs. */
bool flow_followed(const struct softpt_perf *perf)
{
	struct softpt_perf_record rec;
	size_t i;

	for (i = 0; softpt_perf_record(perf, i, &rec); i++)
		if (rec.type == PERF_RECORD_ITRACE_START)
			return true;
	return !is_ours(perf);
}

struct flow_processes *flow_processes_new(const struct softpt_perf *perf, const char *root,
					  const struct error_sink *errors)
{
	struct flow_processes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->perf = perf;
	p->root = root;
	p->errors = errors;
	p->files = symbol_files_new();
	p->code = code_files_new();
	if (p->files && p->code && !sort(p))
		return p;
	flow_processes_free(p);
	return NULL;
}

/* @later: NULL, or of whose records none is told yet, nor those behind them */
static int tell(struct flow_processes *p, uint64_t tsc, flow_later_fn later, const void *ctx)
{
	uint64_t now = softpt_perf_time(p->perf, tsc);
	const size_t before = p->at;
	struct softpt_perf_record rec;
	int err = 0;

	while (!err && p->at < p->n) {
		softpt_perf_record(p->perf, p->order[p->at], &rec);
		if (rec.id.time > now || (later && later(ctx, rec.id.tid)))
			break;
		err = take_record(p, &rec);
		p->at++;
	}
	return err ? err : p->at > before;
}

uint64_t flow_processes_next(const struct flow_processes *p)
{
	return p->at < p->n ? time_of(p, p->order[p->at]) : UINT64_MAX;
}

int flow_processes_until(struct flow_processes *p, uint64_t tsc)
{
	return tell(p, tsc, NULL, NULL);
}

int flow_processes_others(struct flow_processes *p, uint64_t tsc, flow_later_fn later,
			  const void *ctx)
{
	return tell(p, tsc, later, ctx);
}

static void tell_run(void *ctx, const struct code_image *code, const struct code_run *run)
{
	const struct flow_processes *p = ctx;
	struct flow_process *process = p->process;

	while (process && process->code != code)
		process = process->next;
	if (process)
		p->ran(p->ran_ctx, process, run);
}

void flow_processes_count(struct flow_processes *p, flow_ran_fn ran, void *ctx)
{
	p->ran = ran;
	p->ran_ctx = ctx;
	code_files_count(p->code, tell_run, p);
}

void flow_processes_ran(struct flow_processes *p)
{
	struct flow_process *process;

	for (process = p->process; process; process = process->next)
		code_image_tell(process->code);
}

/* Where no record says who runs: the only process. Return: 0: no guess */
static uint32_t only_process(const struct flow_processes *p)
{
	const struct flow_process *process;
	uint32_t pid = 0;

	for (process = p->process; process; process = process->next) {
		if (pid && process->pid != pid)
			return 0;
		pid = process->pid;
	}
	return pid;
}

struct softpt_flow_thread *flow_processes_on(struct flow_processes *p,
					     const struct input_stream *stream)
{
	struct place *place = get_place(p, stream->cpu);
	struct softpt_flow_thread *t = place ? place->thread : NULL;
	uint32_t pid;

	if (stream->tid >= 0)
		t = find_thread(p, stream->tid);
	if (!t)
		t = p->traced;
	if (t)
		return t;
	pid = only_process(p);
	return get_thread(p, pid, pid);
}

struct softpt_flow_thread *flow_processes_thread(const struct flow_processes *p, uint32_t tid)
{
	return find_thread(p, tid);
}

bool flow_processes_many(const struct flow_processes *p)
{
	return p->many;
}

struct softpt_flow_thread *flow_processes_threads(const struct flow_processes *p)
{
	return p->thread;
}

void flow_processes_free(struct flow_processes *p)
{
	struct flow_process *process;
	struct softpt_flow_thread *t;
	struct place *place;

	if (!p)
		return;
	while ((process = p->process)) {
		p->process = process->next;
		code_image_free(process->code);
		symbols_free(process->symbols);
		free(process);
	}
	while ((t = p->thread)) {
		p->thread = t->next;
		free(t->frame);
		free(t);
	}
	while ((place = p->place)) {
		p->place = place->next;
		free(place);
	}
	symbol_files_free(p->files);
	code_files_free(p->code);
	free(p->order);
	free(p);
}
