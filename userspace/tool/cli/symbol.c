// SPDX-License-Identifier: BSD-2-Clause
/* Addresses as names */
#include <stdio.h>

#include "line.h"
#include "symbol.h"
#include "tool.h"

static void write_hex(FILE *out, const char *before, uint64_t v)
{
	char text[32], *p = put_hex(put_text(text, before), v);

	fwrite(text, 1, p - text, out);
}

void symbol_write(FILE *out, const struct softpt_symbol *sym, uint64_t ip)
{
	if (!sym->module) {
		write_hex(out, "", ip);
		return;
	}
	if (sym->name)
		print_plain(out, sym->label, SIZE_MAX);
	else
		print_plain(out, sym->plt ? "plt" : sym->module, SIZE_MAX);
	if (!sym->name || sym->start != ip)
		write_hex(out, "+", ip - sym->start);
}

void symbol_print(const struct softpt_symbol *sym, uint64_t ip)
{
	symbol_write(stdout, sym, ip);
}
