// SPDX-License-Identifier: BSD-2-Clause
#include "inject.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE		4096ull
#define FILE_MAX	(4u << 20)
#define STACK		(256ull << 10)
#define STACK_AT	(SOFTPT_XL_ROOMS + SOFTPT_XL_ROOMS_SIZE - STACK)

struct image {
	uint8_t *bytes;
	size_t len;
};

static int read_file(struct image *m, const char *path)
{
	FILE *f = fopen(path, "re");
	int err = 0;

	if (!f)
		return -errno;
	m->bytes = malloc(FILE_MAX);
	if (!m->bytes)
		err = -ENOMEM;
	else
		m->len = fread(m->bytes, 1, FILE_MAX, f);
	fclose(f);
	return err;
}

static bool has(const struct image *m, uint64_t at, uint64_t len)
{
	return at <= m->len && len <= m->len - at;
}

/* Of a file of this kind, the program headers; NULL: it is another */
static const Elf64_Phdr *headers(const struct image *m, unsigned int *n)
{
	const Elf64_Ehdr *e = (const void *)m->bytes;

	if (!has(m, 0, sizeof(*e)) || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_machine != EM_X86_64 || e->e_type != ET_EXEC ||
	    e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff % 8 ||
	    !has(m, e->e_phoff, e->e_phnum * sizeof(Elf64_Phdr)))
		return NULL;
	*n = e->e_phnum;
	return (const void *)(m->bytes + e->e_phoff);
}

static int protection(const Elf64_Phdr *h)
{
	return (h->p_flags & PF_R ? PROT_READ : 0) | (h->p_flags & PF_W ? PROT_WRITE : 0) |
	       (h->p_flags & PF_X ? PROT_EXEC : 0);
}

static int map_remote(struct remote *r, uint64_t at, uint64_t size, int prot, int flags)
{
	const uint64_t args[6] = {
		at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0,
	};
	long ret = remote_syscall(r, SYS_mmap, args);

	return ret < 0 ? (int)ret : (uint64_t)ret == at ? 0 : -EEXIST;
}

static void unmap_remote(struct remote *r, uint64_t at, uint64_t size)
{
	const uint64_t args[6] = { at, size };

	remote_syscall(r, SYS_munmap, args);
}

static int add_segment(struct injected *in, const struct image *m, const Elf64_Phdr *h)
{
	const uint64_t at = h->p_vaddr & ~(PAGE - 1);

	if (in->nr == INJECT_SEGMENTS || !has(m, h->p_offset, h->p_filesz))
		return -ENOEXEC;
	in->segment[in->nr].at = at;
	in->segment[in->nr++].size = ((h->p_vaddr + h->p_memsz + PAGE - 1) & ~(PAGE - 1)) - at;
	return 0;
}

/* What there is to be called lies right before the entry: the file says so, not the process. */
static int read_entries(struct injected *in, const struct image *m, const Elf64_Phdr *h)
{
	const Elf64_Ehdr *e = (const void *)m->bytes;
	const uint64_t at = e->e_entry - sizeof(in->entries) - h->p_vaddr;

	if (at >= h->p_filesz || !has(m, h->p_offset + at, sizeof(in->entries)))
		return 0;
	memcpy(&in->entries, m->bytes + h->p_offset + at, sizeof(in->entries));
	return in->entries.magic == SOFTPT_XL_ATTACH ? 0 : -ENOEXEC;
}

static int put_image(struct injected *in, struct remote *r, const struct image *m)
{
	const Elf64_Phdr *h;
	unsigned int i, n;
	int err = 0;

	h = headers(m, &n);
	if (!h)
		return -ENOEXEC;
	for (i = 0; i < n && !err; i++) {
		if (h[i].p_type != PT_LOAD || !h[i].p_memsz)
			continue;
		err = add_segment(in, m, &h[i]);
		if (err)
			break;
		err = map_remote(r, in->segment[in->nr - 1].at, in->segment[in->nr - 1].size,
				 protection(&h[i]), MAP_FIXED_NOREPLACE);
		if (err)
			in->nr--;
		else
			err = traced_write(r->p, h[i].p_vaddr, m->bytes + h[i].p_offset,
					   h[i].p_filesz);
		if (!err)
			err = read_entries(in, m, &h[i]);
	}
	return err;
}

static int load(struct injected *in, struct remote *r, const char *path)
{
	struct image m = { 0 };
	int err;

	*in = (struct injected){ 0 };
	err = read_file(&m, path);
	if (!err)
		err = put_image(in, r, &m);
	if (!err && !in->entries.magic)
		err = -ENOEXEC;
	free(m.bytes);
	return err;
}

void inject_use(const struct injected *in, struct remote *r)
{
	r->stack = STACK_AT + STACK;
	r->done = in->entries.done;
	r->failed = in->entries.failed;
}

int inject(struct injected *in, struct remote *r, const char *path)
{
	int err = load(in, r, path);

	if (!err)
		err = map_remote(r, SOFTPT_XL_ROOMS, SOFTPT_XL_ROOMS_SIZE, PROT_NONE,
				 MAP_NORESERVE | MAP_FIXED_NOREPLACE);
	in->has_rooms = !err;
	if (!err)
		err = map_remote(r, STACK_AT, STACK, PROT_READ | PROT_WRITE, MAP_FIXED);
	if (!err) {
		inject_use(in, r);
		return 0;
	}
	inject_undo(in, r, NULL);
	return err;
}

void inject_undo(const struct injected *in, struct remote *r,
		 const struct softpt_xl_process *process)
{
	const struct softpt_xl_attach *e = &in->entries;
	unsigned int i;

	if (process && process->mapped & SOFTPT_XL_CACHE_MAPPED)
		unmap_remote(r, e->cache[0], e->cache[1]);
	if (process && process->mapped & SOFTPT_XL_TABLE_MAPPED)
		unmap_remote(r, e->table[0], e->table[1]);
	if (process)
		unmap_remote(r, process->map, SOFTPT_XL_SIZE);
	if (in->has_rooms)
		unmap_remote(r, SOFTPT_XL_ROOMS, SOFTPT_XL_ROOMS_SIZE);
	for (i = 0; i < in->nr; i++)
		unmap_remote(r, in->segment[i].at, in->segment[i].size);
}
