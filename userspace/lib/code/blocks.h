/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of code: what runs from an address on up to the first branch, decoded once */
#ifndef SOFTPT_CODE_BLOCKS_H
#define SOFTPT_CODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is noted of a jump or of a direct call; 0: nothing is known */
#define CODE_STAYS	1	/* in its function; of a call: it is to a stub */
#define CODE_ENTERS	2	/* another one */

#define BLOCK_BYTES	256	/* of a block, at most; a longer one goes on with another */

/**
 * struct code_run - instructions in a row that were executed
 * @addr: the first
 * @last: the last one
 * @end: behind it
 * @insns: how many
 * @times: how often
 * @taken: how often the conditional branch at @last was taken
 */
struct code_run {
	uint64_t addr;
	uint64_t last;
	uint64_t end;
	uint32_t insns;
	uint64_t times;
	uint64_t taken;
};

/**
 * struct code_block - instructions in a row; only the last may be a branch, or PTWRITE
 * @addr: the first instruction
 * @last: the last one
 * @end: behind it
 * @target: of a direct branch
 * @insns: how many; 0: no code is known here
 * @bits: 16, 32 or 64: of the code segment
 * @kind: enum softpt_insn_kind, of the last instruction
 * @size: bytes of the last instruction
 * @note: what a reader has found out of the branch at its end; 0 at first, and when code changes
 * @generation: of @note and the links
 * @next: the block at @end, once it was looked for
 * @to: the block at @target
 * @chain: blocks of the same hash, or that are free
 * @times: how often it was executed, where that is counted
 * @taken: how often the conditional branch at its end was taken
 */
struct code_block {
	uint64_t addr;
	uint64_t last;
	uint64_t end;
	uint64_t target;
	uint16_t insns;
	uint8_t bits;
	uint8_t kind;
	uint8_t size;
	uint8_t note;
	uint32_t generation;
	struct code_block *next;
	struct code_block *to;
	struct code_block *chain;
	uint64_t times;
	uint64_t taken;
};

/**
 * struct code_blocks - those of a process
 * @read: up to @size bytes at @addr. Return: how many there are in a row
 * @ran: gets what was executed, when its block goes, or code_blocks_tell(); NULL: nobody counts
 * @ctx: for both
 * @generation: changes when blocks are gone: whoever holds one looks it up again
 * @hash: chains of blocks, by address
 * @size: of @hash, a power of two; 0: none yet
 * @nr: how many blocks there are
 * @unused: blocks that are free
 * @rooms: memory of all blocks
 */
struct code_blocks {
	size_t (*read)(void *ctx, uint64_t addr, uint8_t *buf, size_t size);
	void (*ran)(void *ctx, const struct code_run *run);
	void *ctx;
	uint32_t generation;
	struct code_block **hash;
	size_t size;
	size_t nr;
	struct code_block *unused;
	struct block_room *rooms;
};

/* The block at an address. Return: NULL without memory */
struct code_block *code_blocks_at(struct code_blocks *b, uint64_t addr, unsigned int bits);

/* The block behind one, and the one that its direct branch goes to. Return: NULL without memory */
struct code_block *code_blocks_next(struct code_blocks *b, struct code_block *block);
struct code_block *code_blocks_target(struct code_blocks *b, struct code_block *block);

/* The instruction behind the one at @addr, in the block. Return: 0: it is not known there */
uint64_t code_blocks_step(const struct code_blocks *b, const struct code_block *block,
			  uint64_t addr);

/* The code in [from, to) is another, or not known any more. */
void code_blocks_drop(struct code_blocks *b, uint64_t from, uint64_t to);

/* Tell how often each block was executed, and count from 0 on. */
void code_blocks_tell(struct code_blocks *b);

void code_blocks_free(struct code_blocks *b);

#endif /* SOFTPT_CODE_BLOCKS_H */
