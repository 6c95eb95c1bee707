// SPDX-License-Identifier: BSD-2-Clause
/* Functions and code of mapped files, through elfutils */
#include "code/source.h"

#include <string.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "code/symbolfile.h"

const char *source_path(const struct symbol_file *f)
{
	return f->path;
}

unsigned int source_bits(const struct symbol_file *f)
{
	return f->bits;
}

const char *source_debug(struct symbol_file *f, const char **link)
{
	const char *debug = NULL;
	GElf_Addr bias;
	GElf_Word crc;
	Elf *elf;

	dwfl_module_getdwarf(f->module, &bias);	/* looks for it */
	dwfl_module_info(f->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	elf = dwfl_module_getelf(f->module, &bias);
	*link = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;
	return *link ? debug : NULL;
}

void source_range(const struct symbol_file *f, uint64_t *from, uint64_t *to)
{
	*from = 0;
	*to = 0;
	dwfl_module_info(f->module, NULL, from, to, NULL, NULL, NULL, NULL);
}

/* ---- functions and code ---- */

/* Whether a stretch is of the same function as the one at @sym */
static bool is_same(struct symbol_file *f, size_t i, const struct softpt_symbol *sym)
{
	const struct softpt_symbol *found = symbol_file_find(f, f->stretches[i].from);

	return found->name == sym->name && (!sym->name || found->start == sym->start);
}

/* Of a file without any symbol */
static void segment_of(const struct symbol_place *place, struct source_function *function)
{
	const struct segment *s = place->file->segments, *end = s + place->file->nr;

	for (; s < end; s++)
		if (place->address - s->addr < s->size) {
			function->from = s->addr;
			function->to = s->addr + s->size;
		}
}

void source_function_at(const struct symbol_place *place, struct source_function *function)
{
	struct symbol_file *f = place->file;
	struct softpt_symbol sym = { 0 };
	size_t first, last;

	*function = (struct source_function){ .from = place->address, .to = place->address + 1 };
	if (!f)
		return;
	if (!f->nr_stretches) {
		segment_of(place, function);
		return;
	}
	sym = *symbol_file_find(f, place->address);
	first = symbol_file_stretch(f, place->address);
	last = first + 1;
	while (first && is_same(f, first - 1, &sym))
		first--;
	while (last < f->nr_stretches && is_same(f, last, &sym))
		last++;
	function->name = sym.name;
	function->label = sym.label;
	function->from = f->stretches[first].from;
	function->to = last < f->nr_stretches ? f->stretches[last].from : UINT64_MAX;
}

size_t source_code(const struct symbol_place *place, uint8_t *buf, size_t size)
{
	const struct symbol_file *f = place->file;
	GElf_Addr bias;
	Elf *elf = f && f->module ? dwfl_module_getelf(f->module, &bias) : NULL;
	size_t length, i;
	const char *bytes = elf ? elf_rawfile(elf, &length) : NULL;

	for (i = 0; bytes && i < f->nr; i++) {
		const struct segment *s = &f->segments[i];
		const uint64_t at = place->address - s->addr;

		if (at >= s->size || s->offset > length || at >= length - s->offset)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		if (size > length - s->offset - at)
			size = length - s->offset - at;
		memcpy(buf, bytes + s->offset + at, size);
		return size;
	}
	return 0;
}
