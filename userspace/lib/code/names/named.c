// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/named.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "code/names/demangle.h"

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

	return symbol && !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@');
}

/* What people call it, which several functions may be called */
static bool is_label(const char *symbol, const char *name)
{
	char *label = symbol ? demangle(symbol) : NULL;
	bool same = label && !strcmp(label, name);

	free(label);
	return same;
}

typedef bool (*is_named_fn)(const char *symbol, const char *name);

/* A search for the functions that @is_named says have a name; @found counts their addresses. */
struct search {
	Elf *elf;
	const char *name;
	is_named_fn is_named;
	uint64_t addr;
	unsigned int found;
};

static void find_in(struct search *s, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym sym;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!gelf_getsym(data, i, &sym) || !is_function(&sym) ||
		    !s->is_named(elf_strptr(s->elf, header->sh_link, sym.st_name), s->name))
			continue;
		if (!s->found || sym.st_value != s->addr)
			s->found++;
		if (s->found == 1)
			s->addr = sym.st_value;
	}
}

/* Return: whether the file has any names */
static bool find_all(struct search *s, is_named_fn is_named)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool any = false;

	s->is_named = is_named;
	while ((section = elf_nextscn(s->elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		any = true;
		find_in(s, section, &header);
	}
	return any;
}

/* Of symbols that are the same, as those of static functions may be, the first counts. */
static const char *find(Elf *elf, const char *name, struct named *found)
{
	struct search s = { .elf = elf, .name = name };
	GElf_Ehdr file;

	if (!elf || !gelf_getehdr(elf, &file))
		return "the program is no ELF file";
	if (!find_all(&s, is_name))
		return "the program has no names: ip=ADDRESS";
	if (!s.found) {
		find_all(&s, is_label);
		if (s.found > 1)
			return "several functions are called so: give the symbol of one (nm FILE)";
	}
	if (!s.found)
		return "the program has no function of that name (nm FILE lists them)";
	found->moves = file.e_type == ET_DYN;
	found->addr = s.addr;
	return NULL;
}

const char *named_find(const char *path, const char *name, struct named *found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why;
	Elf *elf;

	if (fd < 0)
		return "the program can't be read";
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	why = find(elf, name, found);
	elf_end(elf);
	close(fd);
	return why;
}
