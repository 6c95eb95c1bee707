// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/named.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/array.h"
#include "base/number.h"
#include "code/names/demangle.h"
#include "code/symbolfile.h"

#define NO_MEMORY	"out of memory"
#define NOT_THERE	"the program has no function of that name (nm FILE lists them)"
#define NO_CODE		"there is no code of the program"
#define CHOSEN		"it is an IFUNC: name the function that it chooses (softpt report shows it)"

static bool is_function(const GElf_Sym *sym)
{
	const unsigned int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_value &&
	       (type == STT_FUNC || type == STT_NOTYPE);
}

/* printf@@GLIBC_2.2.5 is printf, too. */
static bool is_name(const char *symbol, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@');
}

/* What people call it, which several functions may be called */
static bool is_label(const char *symbol, const char *name)
{
	char *label = demangle(symbol);
	bool same = label && !strcmp(label, name);

	free(label);
	return same;
}

static bool matches(const char *symbol, const char *pattern)
{
	char *label = demangle(symbol);
	bool does = label && !fnmatch(pattern, label, 0);

	free(label);
	if (!does) {
		label = strndup(symbol, strcspn(symbol, "@"));
		does = label && !fnmatch(pattern, label, 0);
		free(label);
	}
	return does;
}

typedef bool (*is_named_fn)(const char *symbol, const char *name);

/* Addresses, in the order of the symbols */
struct search {
	struct symbol_file *file;
	const char *name;
	uint64_t *addr;
	size_t nr;
	bool chosen;		/* there is an IFUNC of that name */
	bool failed;		/* for want of memory */
};

static void keep(struct search *s, uint64_t addr)
{
	uint64_t *more = array_more(s->addr, s->nr, sizeof(*more));

	if (!more) {
		s->failed = true;
		return;
	}
	s->addr = more;
	s->addr[s->nr++] = addr;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each once, in their order */
static void sort(struct search *s)
{
	size_t i, n = 0;

	qsort(s->addr, s->nr, sizeof(*s->addr), by_number);
	for (i = 0; i < s->nr; i++)
		if (!n || s->addr[n - 1] != s->addr[i])
			s->addr[n++] = s->addr[i];
	s->nr = n;
}

/* Return: whether there are any now */
static bool find_all(struct search *s, is_named_fn is_named)
{
	const int nr = dwfl_module_getsymtab(s->file->module);
	const char *symbol;
	GElf_Addr addr;
	GElf_Sym sym;
	int i;

	for (i = 1; i < nr; i++) {
		symbol = dwfl_module_getsym_info(s->file->module, i, &sym, &addr, NULL, NULL,
						 NULL);
		if (!symbol || !is_named(symbol, s->name))
			continue;
		s->chosen |= GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
		if (is_function(&sym))
			keep(s, addr);
	}
	return s->nr;
}

/* Symbols that are the same, as versions and static functions may be, are all found. */
static const char *find_name(struct search *s)
{
	if (dwfl_module_getsymtab(s->file->module) <= 1)
		return "the program has no names: give an address";
	if (find_all(s, is_name))
		return NULL;
	if (!find_all(s, is_label))
		return s->failed ? NO_MEMORY : s->chosen ? CHOSEN : NOT_THERE;
	sort(s);
	return s->nr > 1 ? "several functions are called so: give the symbol of one (nm FILE)" :
			   NULL;
}

static const char *find_any(struct search *s)
{
	const char *why;
	uint64_t addr;

	if (!strncmp(s->name, "0x", 2)) {
		if (!softpt_number_within(s->name, 1, UINT64_MAX, &addr))
			return "no address";
		keep(s, addr);
		return s->failed ? NO_MEMORY : NULL;
	}
	why = find_name(s);
	if (!why && s->nr > 1)
		sort(s);
	if (!why || !s->name[strcspn(s->name, "*?[")])
		return why;
	if (find_all(s, matches))
		sort(s);
	return s->failed ? NO_MEMORY : s->nr ? NULL : why;
}

/* Return: NULL, or why nothing can be found there */
static const char *begin(struct search *s, struct symbol_files **files, const char *path)
{
	*files = symbol_files_new();
	s->file = *files ? symbol_files_add(*files, path) : NULL;
	if (!s->file)
		return NO_MEMORY;
	symbol_file_read(*files, s->file);
	return s->file->module ? NULL : "it can't be read, or is no ELF file";
}

const char *named_find(const char *path, const char *name, struct named *found)
{
	struct search s = { .name = name };
	struct symbol_files *files;
	const char *why = begin(&s, &files, path);
	GElf_Ehdr header;
	GElf_Addr bias;

	if (!why)
		why = find_name(&s);
	if (!why && !gelf_getehdr(dwfl_module_getelf(s.file->module, &bias), &header))
		why = "it is no ELF file";
	if (!why)
		*found = (struct named){ s.addr[0], header.e_type == ET_DYN };
	free(s.addr);
	symbol_files_free(files);
	return why;
}

static const char *add_offsets(const struct search *s, struct named_list *list)
{
	uint64_t *more = reallocarray(list->offset, list->nr + s->nr, sizeof(*more));
	size_t i, before = list->nr;

	if (!more)
		return NO_MEMORY;
	list->offset = more;
	for (i = 0; i < s->nr; i++)
		list->nr += symbol_file_offset(s->file, s->addr[i], &list->offset[list->nr]);
	return list->nr == before ? NO_CODE : NULL;
}

const char *named_all(const char *path, const char *name, struct named_list *list)
{
	struct search s = { .name = name };
	struct symbol_files *files;
	const char *why = begin(&s, &files, path);

	if (!why)
		why = find_any(&s);
	if (!why)
		why = add_offsets(&s, list);
	free(s.addr);
	symbol_files_free(files);
	return why;
}

void named_list_free(struct named_list *list)
{
	free(list->offset);
	*list = (struct named_list){ 0 };
}
