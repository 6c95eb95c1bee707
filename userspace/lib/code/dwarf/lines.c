// SPDX-License-Identifier: BSD-2-Clause
/* Lines of source, and functions that are inlined there, through libdw */
#include "code/dwarf/lines.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "code/symbolfile.h"

/* ---- the line of a place ---- */

static Dwarf_Die *find_unit(const struct symbol_place *place, Dwarf_Addr *bias)
{
	struct symbol_file *f = place->file;

	return f && f->module ? units_find(&f->units, f->module, place->address, bias) : NULL;
}

static Dwarf_Line *find_line(const struct symbol_place *place, Dwarf_Die **unit)
{
	Dwarf_Addr bias;

	*unit = find_unit(place, &bias);
	return *unit ? dwarf_getsrc_die(*unit, place->address - bias) : NULL;
}

static const char *line_of(Dwarf_Line *found, int *line)
{
	if (!found || dwarf_lineno(found, line))
		return NULL;
	return dwarf_linesrc(found, NULL, NULL);
}

const char *symbols_line(const struct symbol_place *place, int *line)
{
	Dwarf_Die *unit;

	return line_of(find_line(place, &unit), line);
}

const char *symbols_source(const struct symbol_place *place)
{
	int line;

	return symbols_line(place, &line);
}

const char *source_line(const struct symbol_place *place, int *line, char *buf, size_t len)
{
	Dwarf_Die *unit;
	const char *name = line_of(find_line(place, &unit), line);

	return name ? unit_path(unit, name, buf, len) : NULL;
}

/* ---- functions that are inlined ---- */

static int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attr), &value) ? 0 : value;
}

/* Where a function was inlined: the line of the call that it stands for */
static bool called_at(Dwarf_Die *unit, Dwarf_Die *inlined, struct softpt_flow_line *frame)
{
	const int file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) || (size_t)file >= n)
		return false;
	frame->file = dwarf_filesrc(files, file, NULL, NULL);
	frame->line = number_of(inlined, DW_AT_call_line);
	return frame->file;
}

/* @scopes: from the innermost one on. Return: how many frames there are */
static unsigned int find_inlined(Dwarf_Die *unit, Dwarf_Die *scopes, int nr,
				 struct softpt_flow_line *frame, unsigned int n)
{
	unsigned int found = 1;
	int i;

	for (i = 0; i < nr && found < n; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		frame[found] = (struct softpt_flow_line){ 0 };
		if (!called_at(unit, &scopes[i], &frame[found]))
			break;
		frame[found++ - 1].function = dwarf_diename(&scopes[i]);
	}
	return found;
}

/* The innermost scope that has code at an address, and all around it. Return: how many */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	Dwarf_Die *at;
	int n = dwarf_getscopes(unit, addr, &at);

	if (n <= 0)
		return 0;
	n = dwarf_getscopes_die(&at[0], scopes);
	free(at);
	return n;
}

static unsigned int find_frames(const struct symbol_place *place, struct softpt_flow_line *frame)
{
	Dwarf_Die *unit, *scopes = NULL;
	unsigned int found = 1;
	Dwarf_Addr bias;
	int nr;

	frame[0] = (struct softpt_flow_line){ 0 };
	frame[0].file = symbols_line(place, &frame[0].line);
	if (!frame[0].file || frame[0].line < 1)
		return 0;
	unit = find_unit(place, &bias);
	nr = find_scopes(unit, place->address - bias, &scopes);
	if (nr > 0)
		found = find_inlined(unit, scopes, nr, frame, SOFTPT_FLOW_LINES);
	free(scopes);
	return found;
}

/* libdw walks through all of a unit: a loop asks for the same addresses all the time. */
static struct frames *frames_of(const struct symbol_place *place)
{
	struct symbol_file *f = place->file;
	const uint64_t hash = place->address * 0x9e3779b97f4a7c15ull;
	struct frames *frames;

	if (!f->frames)
		f->frames = calloc(1 << FRAMES_BITS, sizeof(*f->frames));
	if (!f->frames)
		return NULL;
	frames = &f->frames[hash >> (64 - FRAMES_BITS)];
	if (!frames->known || frames->addr != place->address)
		frames->n = find_frames(place, frames->frame);
	frames->addr = place->address;
	frames->known = true;
	return frames;
}

unsigned int source_frames(const struct symbol_place *place, struct softpt_flow_line *frame,
			   unsigned int n)
{
	const struct frames *frames;

	if (!place->file || !place->file->module)
		return 0;
	symbol_files_lock(place->file->files);
	frames = frames_of(place);
	symbol_files_unlock(place->file->files);
	if (!frames)
		return 0;
	n = n < frames->n ? n : frames->n;
	memcpy(frame, frames->frame, n * sizeof(*frame));
	return n;
}

/* ---- all lines ---- */

/* A line up to the next one of its unit. Return: false: it has no code, or no name */
static bool is_line(Dwarf_Lines *lines, size_t i, Dwarf_Addr *from, int *number)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
	bool end = true;
	Dwarf_Addr to;

	return line && next && !dwarf_lineendsequence(line, &end) && !end &&
	       !dwarf_lineaddr(line, from) && !dwarf_lineaddr(next, &to) && to > *from &&
	       !dwarf_lineno(line, number) && *number > 0;
}

static bool lines_of_unit(Dwarf_Die *unit, Dwarf_Addr bias, source_line_fn fn, void *ctx)
{
	Dwarf_Lines *lines;
	const char *name;
	char path[4096];
	Dwarf_Addr from;
	size_t n, i;
	int number;

	if (dwarf_getsrclines(unit, &lines, &n))
		return true;
	for (i = 0; i + 1 < n; i++) {
		if (!is_line(lines, i, &from, &number))
			continue;
		name = dwarf_linesrc(dwarf_onesrcline(lines, i), NULL, NULL);
		if (name && unit_path(unit, name, path, sizeof(path)) &&
		    !fn(ctx, path, number, from + bias))
			return false;
	}
	return true;
}

bool source_lines(struct symbol_file *f, source_line_fn fn, void *ctx)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (f->module && (unit = dwfl_module_nextcu(f->module, unit, &bias)))
		if (!lines_of_unit(unit, bias, fn, ctx))
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
	Dwarf_Die *unit;
	size_t i;

	for (i = 0; i < f->nr_stretches; i++) {
		place.address = f->stretches[i].from;
		if (!is_code(f, place.address) || !find_line(&place, &unit))
			continue;
		source_function_at(&place, &function);
		if (function.name && function.from == place.address && !fn(ctx, &function))
			return false;
	}
	return true;
}
