// SPDX-License-Identifier: BSD-2-Clause
/* Addresses as names */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbol.h"
#include "tool.h"

/* printf@@GLIBC_2.2.5: who reads a path wants the name. */
static void print_unversioned(const char *name)
{
	print_plain(stdout, name, strcspn(name, "@"));
}

void symbol_print(const struct softpt_symbol *sym, uint64_t ip)
{
	if (!sym->module) {
		printf("0x%" PRIx64, ip);
		return;
	}
	if (sym->name)
		print_unversioned(sym->name);
	else
		print_plain(stdout, sym->plt ? "plt" : sym->module, SIZE_MAX);
	if (!sym->name || sym->start != ip)
		printf("+0x%" PRIx64, ip - sym->start);
}
