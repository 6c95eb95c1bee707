// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of addresses, through elfutils: symbol tables and separate debug files; and those that
 * compilers tell perf of code that no file holds. A file is opened once, when an address in it is
 * first asked for, whatever number of processes map it.
 */
#include "code/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "code/names/demangle.h"
#include "code/symbolfile.h"

struct symbol_files {
	Dwfl_Callbacks callbacks;
	char *debuginfo_path;
	struct symbol_file *first;
};

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
	struct symbol_file *made;	/* code that the process has made */
	struct symbol_file *inherited;	/* or its parent, before the fork */
	struct recent recent[RECENT];
};

/* ---- files ---- */

struct symbol_files *symbol_files_new(void)
{
	struct symbol_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &files->debuginfo_path,
	};
	return files;
}

static struct symbol_file *get_file(struct symbol_files *files, const char *path)
{
	struct symbol_file *f;

	for (f = files->first; f; f = f->next)
		if (!strcmp(f->path, path))
			return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->path = strdup(path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->next = files->first;
	files->first = f;
	return f;
}

static void read_segments(struct symbol_file *f, Elf *elf)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	f->segments = calloc(n, sizeof(*f->segments));
	for (i = 0; f->segments && i < n; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			f->segments[f->nr++] = (struct segment){
				ph.p_vaddr, ph.p_offset, ph.p_filesz,
			};
}

/* .plt, .plt.sec and .plt.got lie next to each other. */
static void find_plt(struct symbol_file *f, Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, strings, sh.sh_name);
		if (!name || strncmp(name, ".plt", 4))
			continue;
		if (!f->plt_to || sh.sh_addr < f->plt_from)
			f->plt_from = sh.sh_addr;
		if (sh.sh_addr + sh.sh_size > f->plt_to)
			f->plt_to = sh.sh_addr + sh.sh_size;
	}
}

/* ---- stretches ---- */

static void free_stretches(struct symbol_file *f)
{
	size_t i;

	for (i = 0; i < f->nr_stretches; i++)
		free(f->stretches[i].made);
	free(f->stretches);
}

static int by_address(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static size_t cut_at_symbols(struct symbol_file *f, struct stretch *s, int nr)
{
	size_t n = 0;
	GElf_Addr addr;
	GElf_Sym sym;
	int i;

	for (i = 0; i < nr; i++) {
		if (!dwfl_module_getsym_info(f->module, i, &sym, &addr, NULL, NULL, NULL))
			continue;
		s[n++].from = addr;
		s[n++].from = addr + sym.st_size;
	}
	return n;
}

/* A symbol without a size does not reach into another section. */
static size_t cut_at_sections(Elf *elf, struct stretch *s, size_t nr)
{
	Elf_Scn *scn = NULL;
	size_t n = 0;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) && n + 1 < 2 * nr)
		if (gelf_getshdr(scn, &sh)) {
			s[n++].from = sh.sh_addr;
			s[n++].from = sh.sh_addr + sh.sh_size;
		}
	return n;
}

/*
 * elfutils walks through the symbol table for an address. Its answer is the same wherever no symbol
 * or section begins or ends in between.
 */
static void find_stretches(struct symbol_file *f, Elf *elf)
{
	int symbols = dwfl_module_getsymtab(f->module);
	size_t sections, n, i;

	if (elf_getshdrnum(elf, &sections) || symbols < 0)
		return;
	f->stretches = calloc(1 + 2 * (size_t)symbols + 2 * sections, sizeof(*f->stretches));
	if (!f->stretches)
		return;
	n = 1 + cut_at_symbols(f, f->stretches + 1, symbols);
	n += cut_at_sections(elf, f->stretches + n, sections);
	qsort(f->stretches, n, sizeof(*f->stretches), by_address);
	for (i = 0; i < n; i++)
		if (!i || f->stretches[i].from != f->stretches[i - 1].from)
			f->stretches[f->nr_stretches++].from = f->stretches[i].from;
}

/* What can't be read has no names: the code that can't be read is told elsewhere. */
static void read_file(struct symbol_files *files, struct symbol_file *f)
{
	int fd = f->read ? -1 : open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	Elf *elf;

	f->read = true;
	f->bits = 64;
	if (fd < 0)
		return;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	f->dwfl = elf ? dwfl_begin(&files->callbacks) : NULL;
	if (f->dwfl) {
		if (gelf_getclass(elf) == ELFCLASS32)
			f->bits = 32;
		read_segments(f, elf);
		find_plt(f, elf);
		dwfl_report_begin(f->dwfl);
		f->module = dwfl_report_elf(f->dwfl, f->path, f->path, -1, 0, true);
		dwfl_report_end(f->dwfl, NULL, NULL);
		if (f->module) {
			find_stretches(f, elf);
			symtab_read(&f->symtab, f->module, elf);
		}
	}
	elf_end(elf);
	close(fd);
}

struct symbol_file *symbol_files_get(struct symbol_files *files, const char *path)
{
	struct symbol_file *f = get_file(files, path);

	if (f)
		read_file(files, f);
	return f && f->module ? f : NULL;
}

/* A symbol without a size names what follows it; one with a size names that only. */
static void find_name(const struct symbol_file *f, uint64_t addr, struct softpt_symbol *sym)
{
	const char *name;
	GElf_Off offset;
	GElf_Sym elf_sym;

	if (symtab_find(&f->symtab, addr, &sym->name, &sym->start))
		return;
	name = dwfl_module_addrinfo(f->module, addr, &offset, &elf_sym, NULL, NULL, NULL);
	if (!name || (elf_sym.st_size && offset >= elf_sym.st_size))
		return;
	sym->name = name;
	sym->start = addr - offset;
}

size_t symbol_file_stretch(const struct symbol_file *f, uint64_t addr)
{
	size_t low = 0, high = f->nr_stretches;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (f->stretches[mid].from <= addr)
			low = mid;
		else
			high = mid;
	}
	return low;
}

const struct softpt_symbol *symbol_file_find(struct symbol_file *f, uint64_t addr)
{
	struct stretch *s = &f->stretches[symbol_file_stretch(f, addr)];

	if (!s->known) {
		find_name(f, addr, &s->sym);
		s->made = s->sym.name ? demangle(s->sym.name) : NULL;
		s->sym.label = s->made ? s->made : s->sym.name;
	}
	s->known = true;
	return &s->sym;
}

void symbol_files_free(struct symbol_files *files)
{
	struct symbol_file *f;

	if (!files)
		return;
	while ((f = files->first)) {
		files->first = f->next;
		if (f->dwfl)
			dwfl_end(f->dwfl);
		free(f->segments);
		free_stretches(f);
		symtab_free(&f->symtab);
		perfmap_free(&f->made);
		units_free(&f->units);
		free(f->frames);
		free(f->path);
		free(f);
	}
	free(files->debuginfo_path);
	free(files);
}

/* ---- processes ---- */

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

	if (s)
		s->made = from->made;
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

int symbols_add_made(struct symbols *s, const char *path)
{
	s->inherited = s->made;
	s->made = get_file(s->files, path);
	return s->made ? 0 : -ENOMEM;
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
		.file = get_file(s->files, path),
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

	read_file(s->files, f);
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

/* The file with the name of code that was made */
static struct symbol_file *find_made(struct symbols *s, uint64_t addr, const char **name,
				     uint64_t *start)
{
	struct symbol_file *const files[] = { s->made, s->inherited };
	size_t i;

	for (i = 0; i < 2; i++) {
		if (files[i] && !files[i]->read) {
			perfmap_read(&files[i]->made, files[i]->path);
			files[i]->read = true;
		}
		*name = files[i] ? perfmap_find(&files[i]->made, addr, start) : NULL;
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
		find(s, addr, &r->sym);
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
	const struct mapping *m = find_file(s, addr);
	const char *name;
	uint64_t start;

	*place = (struct symbol_place){ .address = addr };
	if (!m || !m->file->module)
		place->file = find_made(s, addr, &name, &start);
	if (!m || place->file)
		return;
	place->file = m->file;
	place->address = addr - m->bias;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	free(s->mappings);
	free(s);
}
