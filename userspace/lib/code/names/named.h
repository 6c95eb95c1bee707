/* SPDX-License-Identifier: BSD-2-Clause */
/* The address of a name */
#ifndef SOFTPT_CODE_NAMES_NAMED_H
#define SOFTPT_CODE_NAMES_NAMED_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct named - where a function of a program is
 * @addr: its address, as the file was linked
 * @moves: the file says nothing about where it is mapped
 */
struct named {
	uint64_t addr;
	bool moves;
};

/**
 * named_find() - look a function up by its name
 * @path: of an ELF file; its own symbol tables are looked at
 * @name: the function, as the file has it, or as people write it
 * @found: filled in
 *
 * Return: NULL, or why it is not known.
 */
const char *named_find(const char *path, const char *name, struct named *found);

#endif /* SOFTPT_CODE_NAMES_NAMED_H */
