// SPDX-License-Identifier: BSD-2-Clause
/* ELF files */
#include <linux/mman.h>
#include <elf.h>
#include <linux/fcntl.h>

#include "../code/pages.h"
#include "../sys.h"
#include "load.h"

static void refuse(const char *path, const char *why)
{
	say("softpt: translate: %s: %s\n", path, why);
	for (;;)
		sys(__NR_exit_group, 127);
}

static void find_path(struct image *image, long fd)
{
	char name[32] = "/proc/self/fd/";
	char digits[16];
	int n = 0, at = 14;
	long len;

	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		name[at++] = digits[--n];
	len = sys(__NR_readlink, name, image->path, sizeof(image->path) - 1);
	image->path[len > 0 ? len : 0] = 0;
}

static int prot_of(const Elf64_Phdr *ph)
{
	return (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
	       (ph->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Behind what the file has is zero, within the last page and in pages of its own. */
static void map_segment(const char *path, long fd, const Elf64_Phdr *ph, u64 base)
{
	const int fixed = MAP_PRIVATE | MAP_FIXED_NOREPLACE;
	u64 at = base + PAGE_DOWN(ph->p_vaddr), skip = ph->p_vaddr & (PAGE - 1);
	u64 file_end = base + ph->p_vaddr + ph->p_filesz, end = base + ph->p_vaddr + ph->p_memsz;
	u64 top = ph->p_filesz ? PAGE_UP(file_end) : at;
	int prot = prot_of(ph);

	if (ph->p_filesz &&
	    (u64)sys(__NR_mmap, at, ph->p_filesz + skip, prot, fixed, fd,
		     ph->p_offset - skip) != at)
		refuse(path, "cannot be mapped where it has to be");
	pages_set(at, end - at, prot);
	if (ph->p_filesz && prot & PROT_WRITE)
		memset((void *)file_end, 0, top - file_end);
	if (end > top &&
	    (u64)sys(__NR_mmap, top, end - top, prot, fixed | MAP_ANONYMOUS, -1, 0) != top)
		refuse(path, "no memory for its data");
}

static void take_interpreter(struct image *image, const char *path, long fd,
			     const Elf64_Phdr *ph)
{
	if (ph->p_filesz >= sizeof(image->interpreter) ||
	    sys(__NR_pread64, fd, image->interpreter, ph->p_filesz, ph->p_offset) < 0)
		refuse(path, "its interpreter cannot be read");
}

void load_image(const char *path, u64 base, struct image *image)
{
	long fd = sys(__NR_open, path, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr ph[64];
	Elf64_Ehdr e;
	u64 i;

	memset(image, 0, sizeof(*image));
	if (fd < 0)
		refuse(path, "cannot be opened");
	if (sys(__NR_pread64, fd, &e, sizeof(e), 0) != sizeof(e) ||
	    e.e_machine != EM_X86_64 || e.e_phnum > ARRAY_LEN(ph) ||
	    sys(__NR_pread64, fd, ph, e.e_phnum * sizeof(*ph), e.e_phoff) < 0)
		refuse(path, "no program for x86-64");
	find_path(image, fd);
	image->base = e.e_type == ET_EXEC ? 0 : base;
	image->entry = image->base + e.e_entry;
	image->phnum = e.e_phnum;
	for (i = 0; i < e.e_phnum; i++) {
		if (ph[i].p_type == PT_INTERP)
			take_interpreter(image, path, fd, &ph[i]);
		if (ph[i].p_type != PT_LOAD)
			continue;
		map_segment(path, fd, &ph[i], image->base);
		if (ph[i].p_offset <= e.e_phoff &&
		    e.e_phoff < ph[i].p_offset + ph[i].p_filesz)
			image->phdr = image->base + ph[i].p_vaddr + e.e_phoff - ph[i].p_offset;
	}
	sys(__NR_close, fd);
}
