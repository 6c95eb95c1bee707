// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/probes.h"

#include <fnmatch.h>
#include <string.h>

#include <gelf.h>

#include "code/symbolfile.h"

#define OWNER	"stapsdt"
#define TYPE	3

/* A note begins with three addresses; names follow. */
enum { AT, BASE, SEMAPHORE, NR };

/**
 * struct walk - the notes of a file
 * @elf: the file
 * @name: which probes
 * @base: where .stapsdt.base is: 0: there is none
 * @fn: gets the probes
 * @ctx: for that
 */
struct walk {
	Elf *elf;
	const char *name;
	uint64_t base;
	probe_fn fn;
	void *ctx;
};

static bool matches(const char *pattern, size_t len, const char *name)
{
	char part[256];

	if (len >= sizeof(part))
		return false;
	memcpy(part, pattern, len);
	part[len] = 0;
	return !fnmatch(part, name, 0);
}

/* @text: PROVIDER, NAME and the arguments, each with a 0 behind it, @len bytes at most */
static bool is_meant(const char *wanted, const char *text, size_t len)
{
	const char *colon = strchr(wanted, ':'), *end = memchr(text, 0, len);
	const char *name = end ? end + 1 : NULL;

	if (!colon || !name || !memchr(name, 0, len - (size_t)(name - text)))
		return false;
	return matches(wanted, (size_t)(colon - wanted), text) &&
	       matches(colon + 1, strlen(colon + 1), name);
}

static bool find_offset(Elf *elf, uint64_t addr, uint64_t *offset)
{
	size_t i, n;
	GElf_Phdr ph;

	if (!addr || elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = addr - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

/* A linker that runs later (prelink) moves the code, and not what the notes say. */
static void take_note(const struct walk *w, const uint8_t *desc, size_t len)
{
	uint64_t number[NR], moved;
	struct probe probe;

	if (len <= sizeof(number) ||
	    !is_meant(w->name, (const char *)desc + sizeof(number), len - sizeof(number)))
		return;
	memcpy(number, desc, sizeof(number));
	moved = w->base ? w->base - number[BASE] : 0;
	probe.addr = number[AT] + moved;
	probe.has_semaphore = number[SEMAPHORE] &&
			      find_offset(w->elf, number[SEMAPHORE] + moved, &probe.semaphore);
	w->fn(w->ctx, &probe);
}

static void walk_notes(const struct walk *w, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)))
		if (note.n_type == TYPE && note.n_namesz == sizeof(OWNER) &&
		    !memcmp((char *)data->d_buf + name, OWNER, sizeof(OWNER)))
			take_note(w, (uint8_t *)data->d_buf + desc, note.n_descsz);
}

static uint64_t find_base(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		if (name && !strcmp(name, ".stapsdt.base"))
			return sh.sh_addr;
	}
	return 0;
}

void probes_each(const struct symbol_file *f, const char *name, probe_fn fn, void *ctx)
{
	GElf_Addr bias;
	struct walk w = {
		.elf = dwfl_module_getelf(f->module, &bias), .name = name, .fn = fn, .ctx = ctx,
	};
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	if (!w.elf || f->bits != 64)
		return;
	w.base = find_base(w.elf);
	while ((scn = elf_nextscn(w.elf, scn))) {
		data = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) :
									   NULL;
		if (data)
			walk_notes(&w, data);
	}
}
