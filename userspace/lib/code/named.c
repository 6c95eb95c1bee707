// SPDX-License-Identifier: BSD-2-Clause
#include "code/named.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

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

static bool find_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name,
		    uint64_t *addr)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym sym;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!gelf_getsym(data, i, &sym) || !is_function(&sym) ||
		    !is_name(elf_strptr(elf, header->sh_link, sym.st_name), name))
			continue;
		*addr = sym.st_value;
		return true;
	}
	return false;
}

static const char *find(Elf *elf, const char *name, struct named *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr file;
	bool any = false;

	if (!elf || !gelf_getehdr(elf, &file))
		return "the program is no ELF file";
	found->moves = file.e_type == ET_DYN;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		any = true;
		if (find_in(elf, section, &header, name, &found->addr))
			return NULL;
	}
	return any ? "the program has no function of that name (nm FILE lists them)" :
		     "the program has no names: ip=ADDRESS";
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
