// SPDX-License-Identifier: BSD-2-Clause
/* Lines and code of mapped files, through elfutils */
#include "code/source.h"

#include <stdio.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
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

/* ---- lines ---- */

static Dwfl_Line *find_line(const struct symbol_place *place)
{
	return place->file && place->file->module ?
	       dwfl_module_getsrc(place->file->module, place->address) : NULL;
}

const char *symbols_line(const struct symbol_place *place, int *line)
{
	Dwfl_Line *found = find_line(place);

	return found ? dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL) : NULL;
}

const char *symbols_source(const struct symbol_place *place)
{
	return symbols_line(place, NULL);
}

/* A name that is not from the root on is one in the folder of the compiler. */
static const char *whole_path(Dwfl_Line *line, const char *name, char *buf, size_t len)
{
	const char *folder = *name == '/' ? NULL : dwfl_line_comp_dir(line);
	int n = snprintf(buf, len, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);

	return n >= 0 && (size_t)n < len ? buf : NULL;
}

const char *source_line(const struct symbol_place *place, int *line, char *buf, size_t len)
{
	Dwfl_Line *found = find_line(place);
	const char *name = found ? dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL) : NULL;

	return name ? whole_path(found, name, buf, len) : NULL;
}

static bool is_end(Dwfl_Line *line)
{
	Dwarf_Addr bias;
	Dwarf_Line *dwarf = dwfl_dwarf_line(line, &bias);
	bool end = true;

	return !dwarf || dwarf_lineendsequence(dwarf, &end) || end;
}

static bool lines_of_unit(Dwarf_Die *cu, source_line_fn fn, void *ctx)
{
	Dwarf_Addr from, to;
	char path[4096];
	Dwfl_Line *line;
	size_t n, i;
	const char *name;
	int number;

	if (dwfl_getsrclines(cu, &n))
		return true;
	for (i = 0; i + 1 < n; i++) {
		line = dwfl_onesrcline(cu, i);
		if (!line || is_end(line))
			continue;
		name = dwfl_lineinfo(line, &from, &number, NULL, NULL, NULL);
		if (!name || number < 1 || !whole_path(line, name, path, sizeof(path)) ||
		    !dwfl_lineinfo(dwfl_onesrcline(cu, i + 1), &to, NULL, NULL, NULL, NULL))
			continue;
		if (to > from && !fn(ctx, path, number, from))
			return false;
	}
	return true;
}

bool source_lines(struct symbol_file *f, source_line_fn fn, void *ctx)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	while (f->module && (cu = dwfl_module_nextcu(f->module, cu, &bias)))
		if (!lines_of_unit(cu, fn, ctx))
			return false;
	return true;
}

static bool is_code(const struct symbol_file *f, uint64_t addr)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (addr - f->segments[i].addr < f->segments[i].size)
			return true;
	return false;
}

bool source_functions(struct symbol_file *f, source_function_fn fn, void *ctx)
{
	struct source_function function;
	struct symbol_place place = { .file = f };
	size_t i;

	for (i = 0; i < f->nr_stretches; i++) {
		place.address = f->stretches[i].from;
		if (!is_code(f, place.address) || !find_line(&place))
			continue;
		source_function_at(&place, &function);
		if (function.name && function.from == place.address && !fn(ctx, &function))
			return false;
	}
	return true;
}
