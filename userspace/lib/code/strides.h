/* SPDX-License-Identifier: BSD-2-Clause */
/* Strides: where the next outcomes of branches lead to, found once */
#ifndef SOFTPT_CODE_STRIDES_H
#define SOFTPT_CODE_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "code/blocks.h"

#define STRIDE_BITS	8	/* at most */

/**
 * struct stride - a way through blocks, from the begin of one to the begin of another
 * @from: the block that it begins with
 * @to: the block behind it
 * @last: the one with its last branch
 * @generation: of the blocks
 * @epoch: of the table
 * @key: the outcomes that it was found for, below a bit that is 1
 * @instructions: on the way
 * @branches: on the way
 * @bits: outcomes that it takes; 0: a step comes before the next of them
 * @known: it would be found to be the same again
 * @times: how often it was taken, where that is counted, and its blocks do not know it yet
 */
struct stride {
	struct code_block *from;
	struct code_block *to;
	const struct code_block *last;
	uint32_t generation;
	uint32_t epoch;
	uint16_t key;
	uint16_t instructions;
	uint16_t branches;
	uint8_t bits;
	bool known;
	uint64_t times;
};

struct strides;

/* Return: NULL without memory */
struct strides *strides_new(void);
void strides_free(struct strides *s);

/* Blocks are gone, with what had them. @s may be NULL */
void strides_forget(struct strides *s);

/* Count in the blocks how often strides were taken: before any block goes. @s may be NULL */
void strides_settle(struct strides *s);

/*
 * The stride of blocks @b that begins with @from, for @n outcomes, the first is the highest of
 * @bits. All its jumps are noted to stay in their functions. It stays valid until the next call.
 */
struct stride *strides_at(struct strides *s, struct code_blocks *b, struct code_block *from,
			  unsigned int n, unsigned int bits);

#endif /* SOFTPT_CODE_STRIDES_H */
