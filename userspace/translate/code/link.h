/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps from translation to translation, which lead to the dispatcher at first */
#ifndef SOFTPT_XL_LINK_H
#define SOFTPT_XL_LINK_H

#include "block.h"

enum link_kind {
	LINK_MISS,	/* 0, and no link: an indirect branch to what the table has not got */
	LINK_DIRECT,	/* a jump */
	LINK_SYSCALL,	/* a system call; it returns to the target */
	LINK_HOT,	/* the target has been executed often */
	LINK_VALUE,	/* PTWRITE, whose operand is in words.scratch; it goes on at the target */
	LINK_REFUSED,	/* an instruction that is not translated */
	LINK_EACH,	/* a jump that comes to the dispatcher each time */
};

/**
 * struct link - why the dispatcher is entered
 * @target: where the program goes on
 * @patch: the jump, once the target is translated
 * @next: of the same target
 * @kind: enum link_kind
 * @linked: @patch leads to the target
 */
struct link {
	u32 target;
	u32 patch;
	u32 next;
	u8 kind;
	bool linked;
};

void link_init(void);
bool links_full(void);
void links_clear(void);
struct link *link_at(u32 number);
/* Code: leave to the dispatcher */
void link_leave(enum link_kind kind, u32 target);
/* The same for a jump that is at @patch: it leads to @target once that is translated. */
void link_leave_from(u32 patch, u32 target);
/* Code: jump to the translation of @target */
void link_jump(u32 target);
/* A link's jump leads to @b from now on. */
void link_to(struct link *l, struct block *b);
/* All jumps to @b lead to where it is now. */
void link_moved(struct block *b);

/* An entry that is 8-aligned, and whose first instruction has 5 bytes or more, becomes a jump. */
void patch_entry(u32 at, u32 to);

#endif /* SOFTPT_XL_LINK_H */
