// SPDX-License-Identifier: BSD-2-Clause
/* Build ids: a note in a program's file, or of the kernel */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/buildid.h"

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

/* Behind a descriptor, for who maps a file may be hit by SIGBUS */
static bool get(int fd, uint64_t at, void *to, size_t n)
{
	return at <= INT64_MAX && pread(fd, to, n, at) == (ssize_t)n;
}

struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t size;
};

static bool get_segment(int fd, uint64_t at, bool wide, struct segment *seg)
{
	Elf64_Phdr l = { 0 };
	Elf32_Phdr n = { 0 };

	if (wide ? !get(fd, at, &l, sizeof(l)) : !get(fd, at, &n, sizeof(n)))
		return false;
	*seg = wide ? (struct segment){ l.p_type, l.p_offset, l.p_filesz } :
	       (struct segment){ n.p_type, n.p_offset, n.p_filesz };
	return true;
}

static size_t find_in(int fd, uint8_t id[BUILDID_MAX])
{
	uint8_t notes[4096];
	Elf64_Ehdr l;
	Elf32_Ehdr n;
	struct segment seg;
	unsigned int left;
	uint64_t at;
	size_t found;
	bool wide;

	if (!get(fd, 0, &l, sizeof(l)) || memcmp(l.e_ident, ELFMAG, SELFMAG))
		return 0;
	memcpy(&n, &l, sizeof(n));
	wide = l.e_ident[EI_CLASS] == ELFCLASS64;
	at = wide ? l.e_phoff : n.e_phoff;
	for (left = wide ? l.e_phnum : n.e_phnum; left; left--) {
		if (!get_segment(fd, at, wide, &seg))
			return 0;
		at += wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
		if (seg.type != PT_NOTE || seg.size > sizeof(notes) ||
		    !get(fd, seg.offset, notes, seg.size))
			continue;
		found = find_note(notes, seg.size, id);
		if (found)
			return found;
	}
	return 0;
}

/* What is no regular file is not even opened: it is the recorded program that named it. */
size_t buildid_of_file(const char *path, uint8_t id[BUILDID_MAX])
{
	struct stat st;
	size_t n = 0;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = find_in(fd, id);
	close(fd);
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
