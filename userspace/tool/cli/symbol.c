// SPDX-License-Identifier: BSD-2-Clause
/* Addresses as names */
#include <inttypes.h>
#include <stdio.h>

#include "symbol.h"
#include "tool.h"

void symbol_write(FILE *out, const struct softpt_symbol *sym, uint64_t ip)
{
	if (!sym->module) {
		fprintf(out, "0x%" PRIx64, ip);
		return;
	}
	if (sym->name)
		print_plain(out, sym->label, SIZE_MAX);
	else
		print_plain(out, sym->plt ? "plt" : sym->module, SIZE_MAX);
	if (!sym->name || sym->start != ip)
		fprintf(out, "+0x%" PRIx64, ip - sym->start);
}

void symbol_print(const struct softpt_symbol *sym, uint64_t ip)
{
	symbol_write(stdout, sym, ip);
}
