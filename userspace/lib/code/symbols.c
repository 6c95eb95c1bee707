// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of the addresses of a process: of the files that it has mapped, and those that compilers
 * tell perf of code that no file holds.
 */
#include "code/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/names/jitdump.h"
#include "code/symbolfile.h"

#define RECENT	256	/* a power of two */

/* An answer; @known: there is one */
struct recent {
	uint64_t addr;
	bool known;
	struct softpt_symbol sym;
};

struct mapping {
	uint64_t from;
	uint64_t to;
	uint64_t pgoff;
	uint64_t bias;		/* of its addresses to those in the file, once @known */
	bool known;
	const char *name;
	struct symbol_file *file;
};

struct symbols {
	struct symbol_files *files;
	struct mapping *mappings;
	size_t n;
	struct symbol_file *dumped;	/* code that the process has made, in a jit-PID.dump */
	struct symbol_file *made;	/* the same in a perf-PID.map */
	struct symbol_file *inherited;	/* or its parent, before the fork */
	struct recent recent[RECENT];
};

struct symbols *symbols_new(struct symbol_files *files)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s)
		s->files = files;
	return s;
}

struct symbols *symbols_copy(const struct symbols *from)
{
	struct symbols *s = symbols_new(from->files);

	if (s) {
		s->dumped = from->dumped;
		s->made = from->made;
	}
	if (!s || !from->n)
		return s;
	s->mappings = calloc(from->n, sizeof(*s->mappings));
	if (!s->mappings) {
		free(s);
		return NULL;
	}
	memcpy(s->mappings, from->mappings, from->n * sizeof(*s->mappings));
	s->n = from->n;
	return s;
}

struct symbols *symbols_clone(const struct symbols *from)
{
	struct symbols *s = symbols_copy(from);

	if (s)
		s->inherited = from->inherited;
	return s;
}

int symbols_add_made(struct symbols *s, const char *path)
{
	s->inherited = s->made;
	s->made = symbol_files_add(s->files, path);
	return s->made ? 0 : -ENOMEM;
}

int symbols_add_dump(struct symbols *s, const char *path)
{
	s->dumped = symbol_files_add(s->files, path);
	return s->dumped ? 0 : -ENOMEM;
}

int symbols_add(struct symbols *s, const struct softpt_perf_map *map, const char *path)
{
	struct mapping *m = reallocarray(s->mappings, s->n + 1, sizeof(*m));
	const char *slash = strrchr(map->name, '/');

	if (!m)
		return -ENOMEM;
	s->mappings = m;
	m[s->n] = (struct mapping){
		.from = map->addr,
		.to = map->addr + map->len,
		.pgoff = map->pgoff,
		.name = slash ? slash + 1 : map->name,
		.file = symbol_files_add(s->files, path),
	};
	if (!m[s->n].file)
		return -ENOMEM;
	s->n++;
	memset(s->recent, 0, sizeof(s->recent));
	return 0;
}

/* How far the file is from where it was linked to be; its begin where there is no ELF */
static void find_bias(struct symbols *s, struct mapping *m)
{
	struct symbol_file *f = m->file;
	uint64_t len = m->to - m->from;
	size_t i;

	symbol_file_read(s->files, f);
	m->known = true;
	m->bias = m->from - m->pgoff;
	for (i = 0; i < f->nr; i++) {
		const struct segment *seg = &f->segments[i];

		if (m->pgoff + len <= seg->offset || m->pgoff >= seg->offset + seg->size)
			continue;
		m->bias = m->from - (seg->addr + m->pgoff - seg->offset);
		return;
	}
}

static void find_in(const struct mapping *m, uint64_t addr, struct softpt_symbol *sym)
{
	const struct symbol_file *f = m->file;
	const struct softpt_symbol *found;
	uint64_t linked = addr - m->bias;

	*sym = (struct softpt_symbol){ .module = m->name, .start = m->bias };
	sym->plt = linked >= f->plt_from && linked < f->plt_to;
	if (sym->plt || !f->nr_stretches)
		return;
	found = symbol_file_find(m->file, linked);
	if (!found->name)
		return;
	*sym = *found;
	sym->module = m->name;
	sym->start += m->bias;
}

/* Of mappings that overlap the newest counts. */
static struct mapping *find_mapping(struct symbols *s, uint64_t addr)
{
	size_t i;

	for (i = s->n; i-- > 0;)
		if (addr - s->mappings[i].from < s->mappings[i].to - s->mappings[i].from)
			return &s->mappings[i];
	return NULL;
}

static void read_made(struct symbol_file *f, bool dump)
{
	if (f->told)
		return;
	f->told = true;
	if (dump)
		jitdump_read(&f->made, f->path);
	else
		perfmap_read(&f->made, f->path);
}

/* The file with the name of code that was made */
static struct symbol_file *find_made(struct symbols *s, uint64_t addr, const char **name,
				     uint64_t *start)
{
	struct symbol_file *const files[] = { s->dumped, s->made, s->inherited };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!files[i])
			continue;
		read_made(files[i], files[i] == s->dumped);
		*name = perfmap_find(&files[i]->made, addr, start);
		if (*name)
			return files[i];
	}
	return NULL;
}

/* Where an address is in an ELF file, or another one that is mapped */
static struct mapping *find_file(struct symbols *s, uint64_t addr)
{
	struct mapping *m = find_mapping(s, addr);

	if (m && !m->known)
		find_bias(s, m);
	return m;
}

static void find(struct symbols *s, uint64_t addr, struct softpt_symbol *sym)
{
	const struct mapping *m = find_file(s, addr);

	*sym = (struct softpt_symbol){ 0 };
	if (m)
		find_in(m, addr, sym);
	if (m && m->file->module)
		return;
	if (find_made(s, addr, &sym->name, &sym->start)) {
		sym->label = sym->name;
		sym->module = "[jit]";	/* the same in each run, other than the file's name */
	}
}

void symbols_find(struct symbols *s, uint64_t addr, struct softpt_symbol *sym)
{
	struct recent *r = &s->recent[(addr ^ addr >> 8) % RECENT];

	if (!r->known || r->addr != addr) {
		symbol_files_lock(s->files);
		find(s, addr, &r->sym);
		symbol_files_unlock(s->files);
		r->addr = addr;
		r->known = true;
	}
	*sym = r->sym;
}

size_t symbols_mappings(const struct symbols *s)
{
	return s->n;
}

void symbols_place(struct symbols *s, uint64_t addr, struct symbol_place *place)
{
	const struct mapping *m;
	const char *name;
	uint64_t start;

	*place = (struct symbol_place){ .address = addr };
	symbol_files_lock(s->files);
	m = find_file(s, addr);
	if (!m || !m->file->module)
		place->file = find_made(s, addr, &name, &start);
	symbol_files_unlock(s->files);
	if (!m || place->file)
		return;
	place->file = m->file;
	place->address = addr - m->bias;
}

void symbols_each(struct symbols *s, symbols_file_fn fn, void *ctx)
{
	struct mapping *m;
	size_t i;

	for (i = 0; i < s->n; i++)
		s->mappings[i].file->newest = i + 1;
	for (i = 0; i < s->n; i++) {
		if (!s->mappings[i].file->newest)
			continue;
		m = &s->mappings[s->mappings[i].file->newest - 1];
		m->file->newest = 0;
		if (find_mapping(s, m->from) != m)
			continue;
		if (!m->known)
			find_bias(s, m);
		if (!fn(ctx, m->file->path, m->bias))
			return;
	}
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	free(s->mappings);
	free(s);
}
