/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of the program: straight code that ends with a branch */
#ifndef SOFTPT_XL_BLOCK_H
#define SOFTPT_XL_BLOCK_H

#include "../../../kmod/x86/decode.h"
#include "../types.h"

#define BLOCKS		(1u << 20)
#define BLOCK_INSNS	60
#define BLOCK_CODE	(BLOCK_INSNS * SOFTPT_X86_MAX)	/* up to SOFTPT_XL_BLOCK */

/**
 * struct block - a block; addresses of code are numbers (number.h)
 * @addr: its first instruction
 * @end: behind its last
 * @target: of its last, a direct branch
 * @last: its last instruction
 * @indirect: where indirect branches enter its translation
 * @direct: and jumps
 * @next: in the hash chain
 * @links: exits that jump here (link.h)
 * @insns: how many
 * @kind: enum softpt_x86_kind of the last; SOFTPT_X86_OTHER: it just ends
 * @rip_relative: of its indirect branch: the operand is RIP-relative, at @target
 * @pop: bytes that RET pops besides
 * @is_value: the last is PTWRITE
 * @is_hot: a superblock begins here
 * @loops: and jumps to its own head
 * @dead: its code has changed
 * @door: the recorder waits for it (door.h): it is entered by the dispatcher alone
 * @single: the first instruction of such a function, behind which the thread may go on natively
 */
struct block {
	u32 addr;
	u32 end;
	u32 target;
	u32 last;
	u32 indirect;
	u32 direct;
	u32 next;
	u32 links;
	u16 insns;
	u16 pop;
	u8 kind;
	bool rip_relative;
	bool is_value;
	bool is_hot;
	bool loops;
	bool dead;
	bool door;
	bool single;
};

/**
 * struct count - what the cold code of a block counts
 * @left: how often until it is hot
 * @taken: its conditional branch was taken
 * @target: where its indirect branch went last, if the operand is RIP-relative
 */
struct count {
	u32 left;
	u32 taken;
	u32 target;
};

extern struct block *blocks;
extern struct count counts[BLOCKS];
/* The instructions of the block that was read last */
extern struct softpt_x86 block_insn[BLOCK_INSNS];

static inline u32 block_number(const struct block *b)
{
	return (u32)(b - blocks);
}

/* The translation of @addr, or NULL */
struct block *block_find(u32 addr);
/*
 * Read a block at @addr into @code, of BLOCK_CODE bytes. @steps: where a function begins that is
 * waited for, it is one instruction.
 *
 * Return: NULL when its first instruction cannot be read: current()->fault_* say why.
 */
void block_init(void);
struct block *block_read(u64 addr, u8 *code, bool steps);
/* Read its code again. Return: whether it is what it was */
bool block_again(const struct block *b, u8 *code);
/* It is translated, and found from now on. */
void block_add(struct block *b);
/* Superblocks with code of this block begin with block @head. */
void block_part(const struct block *b, u32 head);
/* The code at [@from, @to) may be another. Return: whether any was translated */
bool block_change(u64 from, u64 to, void (*kill)(struct block *b));
/* It is not found any more. */
void block_forget(struct block *b);
bool blocks_full(void);
/* There is none. */
void blocks_clear(void);
/* The code of a block has changed since it was translated. */
bool blocks_dead(u32 number);

#endif /* SOFTPT_XL_BLOCK_H */
