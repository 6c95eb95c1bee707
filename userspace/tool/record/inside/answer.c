// SPDX-License-Identifier: BSD-2-Clause
/* Where the functions are in a process: its files, and where they are mapped */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../cli/tool.h"
#include "files.h"
#include "inside.h"
#include "maps.h"

/* ---- whether a process can run its own code ---- */

/**
 * struct seen - files that a process has mapped
 * @first: one of them
 * @others: there are more
 * @library: there is a C library
 */
struct seen {
	const struct inside_file *first;
	bool others;
	bool library;
};

static void see(struct seen *s, const struct inside_file *f)
{
	if (!f)
		return;
	if (!s->first)
		s->first = f;
	s->others |= f != s->first;
	s->library |= f->library;
}

/* Whether those are there that make the system calls: a C library, or a program without any */
static bool makes_calls(const struct seen *s)
{
	return s->library || (s->first && !s->others);
}

/**
 * struct judged - the code of a process
 * @in: the functions
 * @pid: the process
 * @made: there is code that no file holds, or that may be written to
 * @odd: the system calls of a file are not known
 * @files: what has been seen of them
 */
struct judged {
	struct inside *in;
	pid_t pid;
	bool made;
	bool odd;
	struct seen files;
};

static void judge(void *ctx, const struct mapped *m)
{
	struct judged *j = ctx;
	const struct inside_file *f;

	if (m->prot[2] != 'x' || m->path[0] == '[')
		return;
	if (m->prot[1] == 'w' || m->prot[3] == 's' || m->path[0] != '/') {
		j->made = true;
		return;
	}
	f = inside_file(j->in, j->pid, m);
	j->odd |= !f || f->odd;
	see(&j->files, f);
}

const char *inside_native_refusal(struct inside *in, pid_t pid, bool starts)
{
	struct judged j = { .in = in, .pid = pid };
	const char *why = NULL;

	if (!mapped_each(pid, judge, &j))
		why = "its mappings can't be read";
	else if (j.made)
		why = "it makes code of its own";
	else if (j.odd || (!makes_calls(&j.files) && !starts))
		why = INSIDE_NO_LIBRARY;
	in->refused = why;
	return why;
}

/* ---- where they are ---- */

/**
 * struct answer - what a process is told
 * @in: the functions
 * @pid: the process
 * @place: what it gets
 * @nr: how many
 * @doors: functions, lines and probes among them
 * @loaded: the runtime has loaded its program
 * @shares: it has mapped the shared file: others are told nothing
 * @full: there are more
 * @odd: there may be system calls that were not found
 * @files: what has been seen of them
 * @last: the last file, whose semaphores are counted once
 * @semaphores: those of its and all others less those that are mapped
 */
struct answer {
	struct inside *in;
	pid_t pid;
	struct softpt_xl_place *place;
	uint32_t nr;
	uint32_t doors;
	bool loaded;
	bool shares;
	bool full;
	bool odd;
	struct seen files;
	const struct inside_file *last;
	size_t semaphores;
};

/* The place that is at @offset of the file. Return: NULL: it is not mapped there, or no more fit */
static struct softpt_xl_place *add(struct answer *a, const struct mapped *m, uint64_t offset,
				   uint64_t kind)
{
	struct softpt_xl_place *p = &a->place[a->nr];

	if (offset < m->offset || offset - m->offset >= m->to - m->from)
		return NULL;
	if (a->nr == SOFTPT_XL_PLACES || (!kind && a->doors == SOFTPT_XL_DOORS)) {
		a->full = true;
		a->odd |= kind == SOFTPT_XL_PLACE_CALL;
		return NULL;
	}
	*p = (struct softpt_xl_place){ .addr = (offset - m->offset + m->from) | kind };
	a->doors += !kind;
	a->nr++;
	return p;
}

static void add_all(struct answer *a, const struct mapped *m, const struct inside_places *places,
		    uint64_t kind, unsigned int role)
{
	struct softpt_xl_place *p;
	size_t i;

	for (i = 0; i < places->list.nr; i++) {
		p = add(a, m, places->list.offset[i], kind);
		if (!p)
			continue;
		memcpy(p->code, places->code[i], sizeof(p->code));
		p->role = role;
	}
}

static void add_sites(struct answer *a, const struct mapped *m, const struct inside_doors *d,
		      unsigned int role)
{
	const struct code_site *site = d->sites.site;
	struct softpt_xl_place *p;
	size_t i;

	for (i = 0; i < d->sites.nr; i++) {
		p = add(a, m, site[i].offset, 0);
		if (!p)
			continue;
		memcpy(p->code, d->site_code[i], sizeof(p->code));
		p->cfa = site[i].cfa;
		p->by_rbp = site[i].by_rbp;
		p->role = role;
	}
}

static bool is_file(const struct mapped *m, const struct inside_id *id)
{
	return m->inode && m->inode == id->inode && m->device == id->device;
}

/* System calls come first: without one of them the process can't run its own code. */
static void add_calls(void *ctx, const struct mapped *m)
{
	struct answer *a = ctx;
	const struct inside_file *f;

	a->shares |= is_file(m, &a->in->share);
	if (!mapped_is_code(m) || is_file(m, &a->in->runtime))
		return;
	f = inside_file(a->in, a->pid, m);
	a->odd |= !f || f->odd || m->prot[1] == 'w';
	if (!f)
		return;
	see(&a->files, f);
	add_all(a, m, &f->calls, SOFTPT_XL_PLACE_CALL, 0);
	if (a->loaded)
		add_all(a, m, &f->loaded, SOFTPT_XL_PLACE_CALL, 0);
}

static void add_doors(void *ctx, const struct mapped *m)
{
	struct answer *a = ctx;
	const struct inside_file *f = mapped_is_code(m) ? inside_file(a->in, a->pid, m) : NULL;

	unsigned int i;

	for (i = 0; f && i < INSIDE_ROLES; i++) {
		add_all(a, m, &f->doors[i].functions, 0, i);
		add_sites(a, m, &f->doors[i], i);
		if (f != a->last)
			a->semaphores += f->doors[i].sites.semaphores;
	}
	a->last = f;
}

static void add_raised(struct answer *a, const struct mapped *m, const struct site_list *sites)
{
	size_t i;

	for (i = 0; i < sites->semaphores; i++)
		if (add(a, m, sites->semaphore[i], SOFTPT_XL_PLACE_SEMAPHORE) && a->semaphores)
			a->semaphores--;
}

/* The file's data is mapped behind its code: semaphores may be there with a later question. */
static void add_semaphores(void *ctx, const struct mapped *m)
{
	struct answer *a = ctx;
	const struct inside_file *f = mapped_is_data(m) ? inside_file_seen(a->in, m) : NULL;
	unsigned int i;

	for (i = 0; f && i < INSIDE_ROLES; i++)
		add_raised(a, m, &f->doors[i].sites);
}

void inside_answer(struct inside *in, pid_t pid, struct softpt_xl_process *process,
		   uint32_t asked)
{
	const uint32_t edition = process->edition + 1;
	struct answer a = {
		.in = in, .pid = pid, .loaded = !process->attached || process->children,
		.place = (void *)((char *)process + softpt_xl_places_at(edition)),
	};

	mapped_each(pid, add_calls, &a);
	if (!a.shares || pid == getpid()) {	/* what it was told last holds */
		__atomic_store_n(&process->answered, asked, __ATOMIC_RELEASE);
		return;
	}
	mapped_each(pid, add_doors, &a);
	if (a.semaphores)
		mapped_each(pid, add_semaphores, &a);
	if (a.full && !in->told)
		refuse("record", "--in %s: the first %u places only", in->text, a.doors);
	in->told |= a.full;
	process->places[edition & 1] = a.nr;
	process->known = makes_calls(&a.files) && !a.odd;
	process->awaits = a.semaphores != 0;
	in->known |= process->known;
	__atomic_store_n(&process->edition, edition, __ATOMIC_RELEASE);
	__atomic_store_n(&process->answered, asked, __ATOMIC_RELEASE);
}
