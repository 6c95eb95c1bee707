/* SPDX-License-Identifier: BSD-2-Clause */
/* The basic blocks of a program, as clang has numbered them: its BB address map */
#ifndef SOFTPT_EXPORT_PROPELLER_BLOCKMAP_H
#define SOFTPT_EXPORT_PROPELLER_BLOCKMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <libelf.h>

#include "base/error.h"

/**
 * struct map_block - a basic block
 * @addr: as the file was linked
 * @size: in bytes; 0: nothing is left of it
 * @id: clang's number of it, of its function
 * @function: the number of its function
 * @returns: it ends with a return
 * @pad: exceptions lead to it
 */
struct map_block {
	uint64_t addr;
	uint64_t size;
	uint32_t id;
	uint32_t function;
	bool returns;
	bool pad;
};

/**
 * struct blockmap - those of a file; zero at first
 * @block: by address; those without a size are before the one at the same address
 * @blocks: how many
 * @entry: address of each function
 * @functions: how many; clang writes a function once, a linker may have folded several into one
 */
struct blockmap {
	struct map_block *block;
	uint32_t blocks;
	uint64_t *entry;
	uint32_t functions;
};

/**
 * blockmap_read() - read the BB address map of a file
 * @map: set; blockmap_free(), whatever is returned
 * @elf: the file
 * @error: why it can't be read
 *
 * Return: 0; -ENOENT: it has none; -EINVAL: it is damaged, or of a version that is not known;
 * -ENOMEM.
 */
int blockmap_read(struct blockmap *map, Elf *elf, struct error *error);
void blockmap_free(struct blockmap *map);

#define NO_BLOCK	UINT32_MAX

/* Return: the index of the block that an address is in, or NO_BLOCK */
uint32_t blockmap_find(const struct blockmap *map, uint64_t addr);

#endif /* SOFTPT_EXPORT_PROPELLER_BLOCKMAP_H */
