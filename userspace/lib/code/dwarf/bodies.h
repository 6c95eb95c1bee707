/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions as debug information has them: their code, and what was inlined there */
#ifndef SOFTPT_CODE_DWARF_BODIES_H
#define SOFTPT_CODE_DWARF_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "code/source.h"

/**
 * struct source_body - the code of a function
 * @unit: the compilation unit
 * @die: the function in it
 * @bias: from addresses of debug information to those of the file
 * @llvm: discriminators are encoded as LLVM does
 */
struct source_body {
	Dwarf_Die unit;
	Dwarf_Die die;
	Dwarf_Addr bias;
	bool llvm;
};

/* Gets a body, which may be copied. Return: false to end the walk */
typedef bool (*source_body_fn)(void *ctx, const struct source_body *body);

/* All bodies that begin at a known line, in the order of units. Return: false where @fn ended it */
bool source_bodies(struct symbol_file *f, source_body_fn fn, void *ctx);

/* The symbol that the compiler gave the function; NULL: none. It is valid as long as the file. */
const char *source_body_name(const struct source_body *body);
uint64_t source_body_entry(const struct source_body *body);

/**
 * source_body_piece() - the code of a body, which may be in several pieces
 * @body: the function
 * @piece: 0, or what the last call returned
 * @from: set to the address of the piece
 * @to: and behind it
 *
 * Return: more than 0: for the next call; else there are no more.
 */
ptrdiff_t source_body_piece(const struct source_body *body, ptrdiff_t piece, uint64_t *from,
			    uint64_t *to);

/**
 * struct source_spot - a line, told from the line that its function is declared at
 * @name: symbol of the function, NULL: unknown
 * @offset: from there, modulo 2^16, as sample profiles have it
 * @discriminator: which of the basic blocks of the line; 0 where the compiler is not LLVM
 * @copies: how many instructions of the loop do what one does in the source
 */
struct source_spot {
	const char *name;
	uint16_t offset;
	uint32_t discriminator;
	unsigned int copies;
};

typedef void (*source_spot_fn)(void *ctx, const struct source_spot *spot);

/**
 * source_spots() - where an instruction comes from
 * @body: that it is in
 * @addr: its address
 * @fn: gets, from the outermost function on, the line at which the next one was inlined, and last
 *	that of the instruction
 * @ctx: for @fn
 *
 * Return: false: it has no line, or more than SPOTS_MAX functions, and @fn was not called or gets
 * no last one.
 */
bool source_spots(const struct source_body *body, uint64_t addr, source_spot_fn fn, void *ctx);

#define SPOTS_MAX	256

#endif /* SOFTPT_CODE_DWARF_BODIES_H */
