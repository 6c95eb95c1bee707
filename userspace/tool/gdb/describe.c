// SPDX-License-Identifier: BSD-2-Clause
#include "describe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "base/quote.h"
#include "code/symbols.h"
#include "flow/process.h"
#include "past.h"

/* What is asked of an ELF file: addresses as it was linked */
struct linked {
	uint64_t entry;
	uint64_t dynamic;	/* 0: there is none */
	char interpreter[64];	/* last part of its name, "": none */
};

/* Files of the process, in the order of their mappings */
struct listing {
	const char *root;
	FILE *libraries;
	bool has_program;	/* the first one was seen */
	char *program;		/* its name, where it can be read */
	char interpreter[64];	/* that it asks for */
	uint64_t entry;
	uint64_t base;		/* of the interpreter */
	bool no_memory;
};

static void take_segment(int fd, const GElf_Phdr *ph, struct linked *l)
{
	char name[4096] = "";

	if (ph->p_type == PT_DYNAMIC)
		l->dynamic = ph->p_vaddr;
	if (ph->p_type != PT_INTERP || ph->p_filesz >= sizeof(name) ||
	    pread(fd, name, ph->p_filesz, ph->p_offset) < 0)
		return;
	snprintf(l->interpreter, sizeof(l->interpreter), "%s", basename(name));
}

static bool look_into(const char *path, struct linked *l)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	GElf_Ehdr head;
	GElf_Phdr ph;
	size_t n = 0, i;
	const bool found = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &head);

	*l = (struct linked){ 0 };
	if (found)
		l->entry = head.e_entry;
	if (found && elf_getphdrnum(elf, &n))
		n = 0;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &ph))
			take_segment(fd, &ph, l);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* The runtime of softpt record is mapped, too, and nothing of it was traced. */
static bool is_runtime(const char *path)
{
	return !strcmp(basename(path), "softpt-translate");
}

/* A file that is mapped, and how far from where it was linked to be */
static bool list_file(void *ctx, const char *path, uint64_t bias)
{
	struct listing *to = ctx;
	const size_t skip = strncmp(path, to->root, strlen(to->root)) ? 0 : strlen(to->root);
	struct linked linked;
	bool is_program;

	if (path[skip] != '/' || path[skip + 1] == '/' || is_runtime(path))
		return true;
	is_program = !to->has_program;
	to->has_program = true;
	if (!look_into(path, &linked))
		return true;
	if (is_program) {
		to->program = strdup(path + skip);
		to->entry = bias + linked.entry;
		memcpy(to->interpreter, linked.interpreter, sizeof(to->interpreter));
		to->no_memory = !to->program;
		return !to->no_memory;
	}
	if (*to->interpreter && !strcmp(to->interpreter, basename(path)))
		to->base = bias;
	fputs("<library name=\"", to->libraries);
	print_xml(to->libraries, path + skip, SIZE_MAX);
	fprintf(to->libraries, "\" lmid=\"0x0\" lm=\"0x%" PRIx64 "\" l_addr=\"0x%" PRIx64
		"\" l_ld=\"0x%" PRIx64 "\"/>", bias + linked.dynamic, bias, bias + linked.dynamic);
	return true;
}

/* By its entry gdb finds out where a program is, and by its base the interpreter. */
static int list_auxv(struct description *d, const struct listing *l)
{
	const uint64_t auxv[] = { AT_ENTRY, l->entry, AT_BASE, l->base, AT_NULL, 0 };

	d->auxv = malloc(sizeof(auxv));
	if (!d->auxv)
		return -ENOMEM;
	memcpy(d->auxv, auxv, sizeof(auxv));
	d->auxv_len = sizeof(auxv);
	return 0;
}

static int list_files(struct description *d, const struct past *h, const char *root)
{
	struct listing to = { .root = root };
	size_t len;

	to.libraries = open_memstream(&d->libraries, &len);
	if (!to.libraries)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	fputs("<library-list-svr4 version=\"1.0\">", to.libraries);
	symbols_each(h->process->symbols, list_file, &to);
	fputs("</library-list-svr4>", to.libraries);
	d->program = to.program;
	if (fclose(to.libraries) || to.no_memory)
		return -ENOMEM;
	return list_auxv(d, &to);
}

static char *list_thread(const struct past *h)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	fprintf(to, "<?xml version=\"1.0\"?><threads><thread id=\"%x\" name=\"", h->tid);
	print_xml(to, h->comm, SIZE_MAX);
	fputs("\"/></threads>", to);
	return fclose(to) ? NULL : text;
}

static const char target[] =
	"<target><architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi></target>";

int describe(struct description *d, const struct past *h, const char *root)
{
	*d = (struct description){ 0 };
	d->target = strdup(target);
	d->threads = list_thread(h);
	if (!d->target || !d->threads || list_files(d, h, root))
		return -ENOMEM;
	return 0;
}

void description_free(struct description *d)
{
	free(d->target);
	free(d->threads);
	free(d->program);
	free(d->libraries);
	free(d->auxv);
}
