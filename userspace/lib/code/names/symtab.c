// SPDX-License-Identifier: BSD-2-Clause
/*
 * elfutils walks through all symbols for an address, of which a large program has some 100,000.
 * Here they are sorted. Its rules decide between symbols that overlap, and between those without
 * a size: there elfutils itself is asked.
 */
#include "code/names/symtab.h"

#include <stdlib.h>

/* @reach: the largest end of this one and all before it */
struct symtab_entry {
	uint64_t from;
	uint64_t size;
	uint64_t reach;
	const char *name;
	uint32_t order;
	uint8_t binding;	/* the strongest is the largest */
	bool local;
};

struct symtab_range {
	uint64_t from;
	uint64_t to;
};

/* ---- reading ---- */

static uint8_t binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	}
	return 0;
}

static bool names_code(const char *name, const GElf_Sym *sym)
{
	const int type = GELF_ST_TYPE(sym->st_info);

	return name && *name && sym->st_shndx != SHN_UNDEF && type != STT_SECTION &&
	       type != STT_FILE && type != STT_TLS;
}

/* elfutils looks through the global symbols first, which are behind the local ones. */
static void take_symbols(struct symtab *t, Dwfl_Module *module, int nr, int first_global)
{
	GElf_Addr addr;
	GElf_Sym sym;
	int i;

	for (i = 1; i < nr; i++) {
		const char *name = dwfl_module_getsym_info(module, i, &sym, &addr, NULL, NULL,
							   NULL);

		if (!names_code(name, &sym))
			continue;
		if (sym.st_size)
			t->entry[t->n++] = (struct symtab_entry){
				.from = addr, .size = sym.st_size, .name = name, .order = i,
				.binding = binding_of(&sym), .local = i < first_global,
			};
		else if (i >= first_global)
			t->global.addr[t->global.n++] = addr;
		else
			t->local.addr[t->local.n++] = addr;
	}
}

static void take_sections(struct symtab *t, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC)
			t->section[t->sections++] = (struct symtab_range){
				sh.sh_addr, sh.sh_addr + sh.sh_size,
			};
}

static int by_place(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct symtab *t)
{
	uint64_t reach = 0;
	size_t i;

	qsort(t->entry, t->n, sizeof(*t->entry), by_place);
	qsort(t->global.addr, t->global.n, sizeof(*t->global.addr), by_number);
	qsort(t->local.addr, t->local.n, sizeof(*t->local.addr), by_number);
	for (i = 0; i < t->n; i++) {
		if (reach < t->entry[i].from + t->entry[i].size)
			reach = t->entry[i].from + t->entry[i].size;
		t->entry[i].reach = reach;
	}
}

void symtab_read(struct symtab *t, Dwfl_Module *module, Elf *elf)
{
	const int nr = dwfl_module_getsymtab(module);
	const int first_global = dwfl_module_getsymtab_first_global(module);
	size_t sections;

	*t = (struct symtab){ 0 };
	if (nr <= 0 || first_global < 0 || elf_getshdrnum(elf, &sections))
		return;
	t->entry = calloc(nr, sizeof(*t->entry));
	t->global.addr = calloc(nr, sizeof(*t->global.addr));
	t->local.addr = calloc(nr, sizeof(*t->local.addr));
	t->section = calloc(sections + 1, sizeof(*t->section));
	if (!t->entry || !t->global.addr || !t->local.addr || !t->section)
		return;
	take_symbols(t, module, nr, first_global);
	take_sections(t, elf);
	sort(t);
}

void symtab_free(struct symtab *t)
{
	free(t->entry);
	free(t->global.addr);
	free(t->local.addr);
	free(t->section);
}

/* ---- finding ---- */

/* How many entries begin at @addr or before it */
static size_t entries_to(const struct symtab *t, uint64_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->entry[mid].from <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether any is in [@from, @to] */
static bool any_label(const struct symtab_labels *labels, uint64_t from, uint64_t to)
{
	size_t low = 0, high = labels->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (labels->addr[mid] < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < labels->n && labels->addr[low] <= to;
}

static const struct symtab_range *section_of(const struct symtab *t, uint64_t addr)
{
	size_t i;

	for (i = 0; i < t->sections; i++)
		if (addr >= t->section[i].from && addr < t->section[i].to)
			return &t->section[i];
	return NULL;
}

/* A global symbol without a size, in the same section, keeps elfutils from local ones. */
static bool labelled(const struct symtab *t, uint64_t addr)
{
	const struct symtab_range *section = section_of(t, addr);

	return section && any_label(&t->global, section->from, addr);
}

/* A symbol without a size names what follows it, unless one with a size reaches beyond it. */
static bool is_nowhere(const struct symtab *t, uint64_t addr)
{
	const struct symtab_range *section = section_of(t, addr);
	const size_t before = entries_to(t, addr);
	uint64_t from;

	if (!section || any_label(&t->global, section->from, addr))
		return false;
	from = before ? t->entry[before - 1].reach : 0;
	return !any_label(&t->local, from > section->from ? from : section->from, addr);
}

bool symtab_find(const struct symtab *t, uint64_t addr, const char **name, uint64_t *start)
{
	const struct symtab_entry *best = NULL, *e;
	size_t i;

	for (i = entries_to(t, addr); i-- > 0 && t->entry[i].reach > addr;) {
		e = &t->entry[i];
		if (addr - e->from >= e->size)
			continue;
		if (!best || (best->local && !e->local)) {
			best = e;
			continue;
		}
		if (e->local && !best->local)
			continue;
		if (e->from != best->from || e->size != best->size)
			return false;
		if (e->binding >= best->binding)
			best = e;	/* it is before the other */
	}
	if (!best) {
		*name = NULL;
		return is_nowhere(t, addr);
	}
	if (best->local && labelled(t, addr))
		return false;
	*name = best->name;
	*start = best->from;
	return true;
}
