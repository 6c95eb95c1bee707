/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file, mapped as the kernel maps it, but for where */
#ifndef SOFTPT_XL_LOAD_H
#define SOFTPT_XL_LOAD_H

#include "../types.h"

#define NAME_SIZE 4096

/**
 * struct image - a program or its interpreter
 * @base: what is added to its addresses
 * @entry: where it begins
 * @phdr: its program headers, mapped
 * @phnum: how many
 * @path: the file, links followed
 * @interpreter: empty: none
 */
struct image {
	u64 base;
	u64 entry;
	u64 phdr;
	u64 phnum;
	char path[NAME_SIZE];
	char interpreter[256];
};

/* @base: where it goes unless it says so itself. Does not return without success. */
void load_image(const char *path, u64 base, struct image *image);

#endif /* SOFTPT_XL_LOAD_H */
