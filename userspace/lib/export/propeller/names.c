// SPDX-License-Identifier: BSD-2-Clause
#include "export/propeller/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

/* Blanks end a name, and '/' parts it from the next one. */
static bool can_be_written(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++)
		if (*name == '/' || !isgraph((unsigned char)*name))
			return false;
	return true;
}

static bool add(struct function_names *names, const struct function_name *name)
{
	struct function_name *grown = names->name;

	if (!(names->n & (names->n - 1)))
		grown = reallocarray(grown, names->n ? 2 * names->n : 1, sizeof(*grown));
	if (!grown)
		return false;
	names->name = grown;
	grown[names->n++] = *name;
	return true;
}

static bool read_table(struct function_names *names, Elf *elf, Elf_Scn *scn, size_t strings)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;
	int i;

	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(elf, strings, sym.st_name);
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF || !name ||
		    !can_be_written(name))
			continue;
		if (!add(names, &(struct function_name){ name, sym.st_value, false }))
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct function_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_address(const void *a, const void *b)
{
	const struct function_name *x = a, *y = b;

	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : by_name(a, b);
}

static void find_spare(struct function_names *names)
{
	struct function_name *name = names->name;
	size_t i, k, end;

	qsort(name, names->n, sizeof(*name), by_name);
	for (i = 0; i < names->n; i = end) {
		bool ambiguous = false;

		for (end = i + 1; end < names->n && !by_name(&name[i], &name[end]); end++)
			ambiguous |= name[i].addr != name[end].addr;
		for (k = i; k < end; k++)
			name[k].spare = ambiguous || k > i;
	}
}

int function_names_read(struct function_names *names, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*names = (struct function_names){ 0 };
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB &&
		    !read_table(names, elf, scn, sh.sh_link))
			return -ENOMEM;
	if (names->n) {
		find_spare(names);
		qsort(names->name, names->n, sizeof(*names->name), by_address);
	}
	return 0;
}

static const struct function_name *first_at(const struct function_names *names, uint64_t addr)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (names->name[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return names->name + low;
}

const struct function_name *function_names_next(const struct function_names *names, uint64_t addr,
						const struct function_name *name)
{
	for (name = name ? name : first_at(names, addr);
	     name < names->name + names->n && name->addr == addr; name++)
		if (!name->spare)
			return name;
	return NULL;
}

void function_names_free(struct function_names *names)
{
	free(names->name);
}
