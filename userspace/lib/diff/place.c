// SPDX-License-Identifier: BSD-2-Clause
#include "diff/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "code/dwarf/lines.h"
#include "flow/process.h"

#define TEXT_MAX	4096	/* bytes of a name */

static bool copy(char **to, const char *text, size_t length)
{
	*to = text ? strndup(text, length) : NULL;
	return !text || *to;
}

int diff_place_find(struct diff_place *place, const struct softpt_flow_row *row, uint64_t address)
{
	struct symbols *symbols = row->thread->process->symbols;
	struct symbol_place in_file;
	struct softpt_symbol sym;
	const char *source;

	*place = (struct diff_place){ 0 };
	symbols_find(symbols, address, &sym);
	symbols_place(symbols, address, &in_file);
	source = symbols_line(&in_file, &place->line);
	place->offset = sym.name ? address - sym.start : in_file.address;
	if (copy(&place->function, sym.name, sym.name ? strcspn(sym.name, "@") : 0) &&
	    copy(&place->label, sym.label, TEXT_MAX) &&
	    copy(&place->module, sym.module, TEXT_MAX) && copy(&place->source, source, TEXT_MAX))
		return 0;
	diff_place_free(place);
	return -ENOMEM;
}

void diff_place_free(struct diff_place *place)
{
	free(place->function);
	free(place->label);
	free(place->module);
	free(place->source);
	*place = (struct diff_place){ 0 };
}
