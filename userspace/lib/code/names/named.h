/* SPDX-License-Identifier: BSD-2-Clause */
/* The address of a name */
#ifndef SOFTPT_CODE_NAMES_NAMED_H
#define SOFTPT_CODE_NAMES_NAMED_H

#include <stdbool.h>
#include <stddef.h>
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
 * struct named_list - functions of a file
 * @offset: where each begins in the file
 * @nr: how many
 */
struct named_list {
	uint64_t *offset;
	size_t nr;
};

/**
 * named_find() - look a function up by its name
 * @path: of an ELF file; the file with its debug information is looked at, too
 * @name: the function, as the file has it, or as people write it
 * @found: filled in
 *
 * Return: NULL, or why it is not known.
 */
const char *named_find(const char *path, const char *name, struct named *found);

/**
 * named_all() - look functions up by a name, a pattern or an address
 * @path: as above
 * @name: as above; or a pattern, with * ? and [], of one or the other; or an address as the file
 * was linked, which begins with 0x
 * @list: those that are found are added, each once; named_list_free(), whatever is returned
 *
 * Return: NULL, or why there are none.
 */
const char *named_all(const char *path, const char *name, struct named_list *list);
void named_list_free(struct named_list *list);

#endif /* SOFTPT_CODE_NAMES_NAMED_H */
