// SPDX-License-Identifier: BSD-2-Clause
#include "vdso.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* It is mapped as it was linked: its headers of sections are the last of it. */
const void *vdso_here(size_t *len)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t page = sysconf(_SC_PAGESIZE);
	Elf64_Ehdr header;

	if (!base)
		return NULL;
	memcpy(&header, base, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*len = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
	*len = (*len + page - 1) & ~(page - 1);
	return base;
}
