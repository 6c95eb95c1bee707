/* SPDX-License-Identifier: BSD-2-Clause */
/* Strides: where the next outcomes of branches lead to, found once */
#ifndef SOFTPT_CODE_STRIDES_H
#define SOFTPT_CODE_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "code/blocks.h"

#define STRIDE_BITS	8	/* at most */
#define STRIDE_BRANCHES	16	/* at most, those that need no outcome included */

/**
 * struct stride_branch - a branch of a stride
 * @from: the branch
 * @to: where it leads
 * @instructions: from where the one before has led, up to this one
 * @size: of the branch in bytes
 * @bit: it needs an outcome
 * @taken: it does not lead to what follows it
 */
struct stride_branch {
	uint64_t from;
	uint64_t to;
	uint16_t instructions;
	uint8_t size;
	bool bit;
	bool taken;
};

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
 * @found: its number: no other has it, in whatever place of the table
 * @times: how often it was taken, where that is counted, and its blocks do not know it yet
 * @branch: @branches in order, where the table keeps them
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
	uint64_t found;
	uint64_t times;
	struct stride_branch branch[];
};

#define STRIDES_LOG2	14
#define STRIDES		(1u << STRIDES_LOG2)	/* in a table */

struct strides;

/* @branches: keep those of each. Return: NULL without memory */
struct strides *strides_new(bool branches);
void strides_free(struct strides *s);

/* The place of a stride in the table: below STRIDES, and of no other at the same time */
unsigned int strides_place(const struct strides *s, const struct stride *stride);

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
