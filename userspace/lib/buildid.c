// SPDX-License-Identifier: BSD-2-Clause
/* Build ids: a note in a program's file, in memory that was one, or of the kernel */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perffeature.h"

/* Notes are name, content and what they are, each padded to four bytes. */
static size_t find_note(const uint8_t *p, size_t len, uint8_t id[BUILDID_MAX])
{
	Elf64_Nhdr n;	/* as that of 32 bits */

	while (len >= sizeof(n)) {
		uint64_t name, size;

		memcpy(&n, p, sizeof(n));
		name = sizeof(n) + (((uint64_t)n.n_namesz + 3) & ~3ull);
		size = name + (((uint64_t)n.n_descsz + 3) & ~3ull);
		if (size > len)
			return 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && n.n_descsz <= BUILDID_MAX &&
		    !memcmp(p + sizeof(n), "GNU", 4)) {
			memcpy(id, p + name, n.n_descsz);
			return n.n_descsz;
		}
		p += size;
		len -= size;
	}
	return 0;
}

struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t size;
};

static struct segment segment_at(const uint8_t *p, bool wide)
{
	Elf64_Phdr l;
	Elf32_Phdr s;

	if (wide) {
		memcpy(&l, p, sizeof(l));
		return (struct segment){ l.p_type, l.p_offset, l.p_filesz };
	}
	memcpy(&s, p, sizeof(s));
	return (struct segment){ s.p_type, s.p_offset, s.p_filesz };
}

size_t buildid_of_memory(const void *elf, size_t len, uint8_t id[BUILDID_MAX])
{
	const uint8_t *p = elf;
	bool wide = len > EI_CLASS && p[EI_CLASS] == ELFCLASS64;
	uint64_t at, each = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	unsigned int n;
	Elf64_Ehdr l;
	Elf32_Ehdr s;
	size_t found;

	if (len < sizeof(l) || memcmp(p, ELFMAG, SELFMAG))
		return 0;
	memcpy(&l, p, sizeof(l));
	memcpy(&s, p, sizeof(s));
	at = wide ? l.e_phoff : s.e_phoff;
	for (n = wide ? l.e_phnum : s.e_phnum; n && at < len && len - at >= each; n--, at += each) {
		struct segment seg = segment_at(p + at, wide);

		if (seg.type != PT_NOTE || seg.offset > len || seg.size > len - seg.offset)
			continue;
		found = find_note(p + seg.offset, seg.size, id);
		if (found)
			return found;
	}
	return 0;
}

size_t buildid_of_file(const char *path, uint8_t id[BUILDID_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *map = MAP_FAILED;
	struct stat st;
	size_t n = 0;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size)
		map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 0;
	n = buildid_of_memory(map, st.st_size, id);
	munmap(map, st.st_size);
	return n;
}

size_t buildid_of_kernel(uint8_t id[BUILDID_MAX])
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	return n > 0 ? find_note(notes, n, id) : 0;
}
