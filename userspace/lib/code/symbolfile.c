// SPDX-License-Identifier: BSD-2-Clause
/*
 * Symbols of files, through elfutils: symbol tables and separate debug files. A file is opened
 * once, when an address in it is first asked for, whatever number of processes map it.
 */
#include "code/symbolfile.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "code/names/demangle.h"

struct symbol_files {
	Dwfl_Callbacks callbacks;
	char *debuginfo_path;
	struct symbol_file *first;
	pthread_mutex_t lock;
};

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
	pthread_mutex_init(&files->lock, NULL);
	return files;
}

void symbol_files_lock(struct symbol_files *files)
{
	pthread_mutex_lock(&files->lock);
}

void symbol_files_unlock(struct symbol_files *files)
{
	pthread_mutex_unlock(&files->lock);
}

struct symbol_file *symbol_files_add(struct symbol_files *files, const char *path)
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
	f->files = files;
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

void symbol_file_read(struct symbol_files *files, struct symbol_file *f)
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
	struct symbol_file *f = symbol_files_add(files, path);

	if (f)
		symbol_file_read(files, f);
	return f && f->module ? f : NULL;
}

bool symbol_file_offset(const struct symbol_file *f, uint64_t addr, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		const struct segment *s = &f->segments[i];

		if (addr < s->addr || addr - s->addr >= s->size)
			continue;
		*offset = addr - s->addr + s->offset;
		return true;
	}
	return false;
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
	pthread_mutex_destroy(&files->lock);
	free(files);
}
