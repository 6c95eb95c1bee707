/* SPDX-License-Identifier: BSD-2-Clause */
/* Compilation units by address */
#ifndef SOFTPT_CODE_DWARF_UNITS_H
#define SOFTPT_CODE_DWARF_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct unit_range;

/**
 * struct units - compilation units of a file that has no table of their addresses
 * @range: sorted by address
 * @n: how many
 * @bias: from addresses of their debug information to those of the file
 * @known: they were looked for
 */
struct units {
	struct unit_range *range;
	size_t n;
	Dwarf_Addr bias;
	bool known;
};

/**
 * units_find() - the unit that an address is in
 * @units: of @module; all zero at first
 * @module: the file
 * @addr: as the file was linked
 * @bias: set: @addr less this is the address in debug information
 *
 * gcc writes a table of addresses (.debug_aranges), which elfutils reads; clang writes none, and
 * the units themselves are asked.
 *
 * Return: NULL: it is in none, or memory is out.
 */
Dwarf_Die *units_find(struct units *units, Dwfl_Module *module, uint64_t addr, Dwarf_Addr *bias);
void units_free(struct units *units);

/*
 * The path of a source file: one that is not from the root on is in the folder of the compiler.
 * Return: @buf, or NULL: it is longer than @len
 */
const char *unit_path(Dwarf_Die *unit, const char *name, char *buf, size_t len);

#endif /* SOFTPT_CODE_DWARF_UNITS_H */
