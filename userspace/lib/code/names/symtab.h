/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of a file by address, where it is plain which one elfutils would name */
#ifndef SOFTPT_CODE_NAMES_SYMTAB_H
#define SOFTPT_CODE_NAMES_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct symtab_entry;
struct symtab_range;

/* Sorted */
struct symtab_labels {
	uint64_t *addr;
	size_t n;
};

/**
 * struct symtab - symbols with a size, by address
 * @entry: sorted by @from, and by the order of elfutils where that is equal
 * @n: how many
 * @global: addresses of global symbols without a size
 * @local: addresses of local ones without a size
 * @section: sorted by their begin
 * @sections: how many
 */
struct symtab {
	struct symtab_entry *entry;
	size_t n;
	struct symtab_labels global;
	struct symtab_labels local;
	struct symtab_range *section;
	size_t sections;
};

/* Read the symbols of @module, whose sections are @elf's. Nothing is found without memory. */
void symtab_read(struct symtab *t, Dwfl_Module *module, Elf *elf);

/**
 * symtab_find() - which symbol an address is in
 * @t: the symbols
 * @addr: as dwfl_module_addrinfo() takes it
 * @name: set; valid as long as the module; NULL: it is in none
 * @start: set
 *
 * Return: whether it is plain: none; one symbol; or several that are at the same place, of which
 * dwfl_module_addrinfo() takes the first of those that bind strongest.
 */
bool symtab_find(const struct symtab *t, uint64_t addr, const char **name, uint64_t *start);
void symtab_free(struct symtab *t);

#endif /* SOFTPT_CODE_NAMES_SYMTAB_H */
