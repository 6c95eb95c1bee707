// SPDX-License-Identifier: BSD-2-Clause
/* Addresses as names */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbol.h"
#include "tool.h"

/* printf@@GLIBC_2.2.5: who reads a path wants the name. */
static void print_unversioned(FILE *out, const char *name)
{
	print_plain(out, name, strcspn(name, "@"));
}

void symbol_write(FILE *out, const struct softpt_symbol *sym, uint64_t ip)
{
	if (!sym->module) {
		fprintf(out, "0x%" PRIx64, ip);
		return;
	}
	if (sym->name)
		print_unversioned(out, sym->name);
	else
		print_plain(out, sym->plt ? "plt" : sym->module, SIZE_MAX);
	if (!sym->name || sym->start != ip)
		fprintf(out, "+0x%" PRIx64, ip - sym->start);
}

void symbol_print(const struct softpt_symbol *sym, uint64_t ip)
{
	symbol_write(stdout, sym, ip);
}
