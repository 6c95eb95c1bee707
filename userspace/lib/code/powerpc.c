// SPDX-License-Identifier: BSD-2-Clause
/* Code of a big-endian 32-bit PowerPC program, as its file has it */
#include "code/powerpc.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct port_image {
	int fd;
	Elf *elf;
	const uint8_t *file;
	size_t size;
	GElf_Phdr *segments;
	struct softpt_port_code *code;	/* of each */
	size_t nr;
};

static bool is_powerpc(Elf *elf)
{
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && eh.e_machine == EM_PPC &&
	       eh.e_ident[EI_CLASS] == ELFCLASS32 && eh.e_ident[EI_DATA] == ELFDATA2MSB;
}

static struct softpt_port_code code_of(const GElf_Phdr *ph)
{
	uint64_t end = ph->p_vaddr + ph->p_filesz;

	return (struct softpt_port_code){ ph->p_vaddr, end < UINT32_MAX ? end : UINT32_MAX };
}

/* Return: whether there are any */
static bool find_code(struct port_image *im)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(im->elf, &n))
		return false;
	im->segments = calloc(n + 1, sizeof(*im->segments));
	im->code = calloc(n + 1, sizeof(*im->code));
	for (i = 0; im->segments && im->code && i < n; i++) {
		if (!gelf_getphdr(im->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || ph.p_offset > im->size ||
		    ph.p_filesz > im->size - ph.p_offset)
			continue;
		im->code[im->nr] = code_of(&ph);
		im->segments[im->nr++] = ph;
	}
	return im->nr;
}

static int load(struct port_image *im, const char *path, struct error *error)
{
	im->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (im->fd < 0)
		return error_set_errno(error, -errno);
	elf_version(EV_CURRENT);
	im->elf = elf_begin(im->fd, ELF_C_READ_MMAP, NULL);
	im->file = im->elf ? (const uint8_t *)elf_rawfile(im->elf, &im->size) : NULL;
	if (!im->file || !is_powerpc(im->elf))
		return error_set(error, -EINVAL, "no program for 32-bit PowerPC, big-endian");
	return find_code(im) ? 0 : error_set(error, -ENOENT, "no code in it");
}

struct port_image *port_image_open(const char *path, struct error *error)
{
	struct port_image *im = calloc(1, sizeof(*im));

	if (!im) {
		error_set_errno(error, -ENOMEM);
		return NULL;
	}
	if (!load(im, path, error))
		return im;
	port_image_close(im);
	return NULL;
}

void port_image_close(struct port_image *im)
{
	if (!im)
		return;
	elf_end(im->elf);
	if (im->fd >= 0)
		close(im->fd);
	free(im->segments);
	free(im->code);
	free(im);
}

int port_image_names(const struct port_image *im, const char *path, struct symbols *names)
{
	int err = 0;
	size_t i;

	for (i = 0; i < im->nr && !err; i++) {
		const struct softpt_perf_map map = {
			.addr = im->segments[i].p_vaddr, .len = im->segments[i].p_filesz,
			.pgoff = im->segments[i].p_offset, .name = path,
		};

		err = symbols_add(names, &map, path);
	}
	return err;
}

size_t port_image_code(const struct port_image *im, const struct softpt_port_code **code)
{
	*code = im->code;
	return im->nr;
}

int port_image_read(void *image, uint32_t addr, uint32_t *insn)
{
	const struct port_image *im = image;
	const uint8_t *p;
	size_t i;

	for (i = 0; i < im->nr; i++) {
		const GElf_Phdr *ph = &im->segments[i];
		uint64_t at = addr - ph->p_vaddr;

		if (addr < ph->p_vaddr || at >= ph->p_filesz || ph->p_filesz - at < 4)
			continue;
		p = im->file + ph->p_offset + at;
		*insn = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
		return 0;
	}
	return -1;
}
