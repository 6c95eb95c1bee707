// SPDX-License-Identifier: BSD-2-Clause
#include "code/vdso.h"

#include <asm/prctl.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST	(16u << 12)	/* more than any kernel's */

/* What a child leaves for its parent */
struct left {
	size_t len;
	uint8_t code[MOST];
};

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

/* Return: the vdso's length, and where it is. With @unmap it and its data go. */
static size_t find(unsigned long *at, bool unmap)
{
	unsigned long from, to;
	char line[256];
	size_t len = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		if (strstr(line, "[vdso]")) {
			*at = from;
			len = to - from;
		}
		if (unmap && (strstr(line, "[vdso]") || strstr(line, "[vvar")))
			munmap((void *)from, to - from);
	}
	if (maps)
		fclose(maps);
	return len;
}

/* A process has one vdso, but may choose which. */
static void change(struct left *left)
{
	unsigned long at;
	size_t len;

	find(&at, true);
	if (syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, 0) < 0)
		return;
	len = find(&at, false);
	if (!len || len > sizeof(left->code))
		return;
	memcpy(left->code, (void *)at, len);
	left->len = len;
}

/* The same of 32-bit programs, which stays until the end; from a process of its own */
static const void *vdso32_here(size_t *len)
{
	struct left *left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (left == MAP_FAILED)
		return NULL;
	pid = fork();
	if (!pid) {
		change(left);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	*len = left->len;
	if (*len)
		return left->code;
	munmap(left, sizeof(*left));
	return NULL;
}

void vdso_record(struct softpt_perf_setup *setup)
{
	setup->vdso = vdso_here(&setup->vdso_len);
	setup->vdso32 = vdso32_here(&setup->vdso32_len);
}
