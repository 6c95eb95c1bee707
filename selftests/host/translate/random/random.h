/* SPDX-License-Identifier: BSD-2-Clause */
/* A random program in memory: random.c runs what generate.c makes. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#ifndef BASE
#define BASE		0ul		/* where all of it is */
#endif

#define CODE		(BASE + 0x40000000ul)
#define CODE_SIZE	0x10000ul
#define DATA		(BASE + 0x41000000ul)	/* R14: the blocks' addresses, then data */
#define DATA_SIZE	0x10000ul	/* a page that nobody may touch is behind it */
#define STACK		(BASE + 0x42000000ul)
#define STACK_SIZE	0x8000ul
#define LOG		(BASE + 0x43000000ul)	/* R15: the next entry; behind the last all ends */
#define TABLE_SIZE	1024		/* addresses of blocks in DATA */
#define BLOCKS		400

enum end {
	END_NEXT,	/* no branch, or one that gives no event: JMP, CALL */
	END_JCC,	/* also LOOP and JRCXZ */
	END_INDIRECT,
};

/* What a block begins with, before anything else: its number goes to the log. */
#define LOG_BYTES	11

/**
 * struct block - a block of the program
 * @at: its first instruction
 * @end: enum end
 * @target: of a conditional branch: the block
 * @patch: of an instruction in it, the immediate, or 0
 * @flip: the opcode of its conditional branch, or 0
 */
struct block {
	uint64_t at;
	enum end end;
	unsigned int target;
	uint64_t patch;
	uint64_t flip;
};

extern struct block blocks[BLOCKS + 1];		/* the last is where all ends */
extern uint8_t boundary[CODE_SIZE];		/* an instruction begins there */

/* Numbers that follow from the seed alone */
uint64_t draw(uint64_t *state);
/* Write the program of @seed to CODE, and to DATA the addresses of its blocks. */
void generate(uint64_t seed);

#endif /* RANDOM_H */
