/* SPDX-License-Identifier: BSD-2-Clause */
/* From the program's code to the code cache. The caller holds xl_lock. */
#ifndef SOFTPT_XL_TRANSLATE_H
#define SOFTPT_XL_TRANSLATE_H

#include "block.h"

/* Translations, descriptions, links, and what is known of pages */
extern struct lock xl_lock;

#define HOT_AFTER	30	/* executions */

/*
 * The translation of the block at @addr, made where there is none.
 *
 * Return: NULL when the program cannot fetch it: current()->fault_* say why.
 */
struct block *translate(u64 addr);
/* @b has been executed HOT_AFTER times: it becomes the head of a superblock. */
void translate_hot(struct block *b);
/* The code of @b is another: who enters it goes to the dispatcher. */
void translate_kill(struct block *b);

/* ---- what both kinds of translation are made of (translate.c) ---- */

/* The instructions of a block but its last branch. @last: set to its last */
void put_body(const struct block *b, const u8 *code, struct softpt_x86 *last);
/* Leave by the block's last branch. @prefer: which outcome goes straight on */
void put_end(const struct block *b, const u8 *code, const struct softpt_x86 *last, bool prefer,
	     bool counted);
/* At @from the superblock is left for @target, by a branch whose outcome is @taken. */
void put_side_exit(u8 *from, bool taken, u32 target, const u32 *counter);
/* RET, or an indirect jump or call, to wherever it goes. RCX is spilled, and recorded what is. */
void put_indirect(const struct block *b, const u8 *code, const struct softpt_x86 *last,
		  bool counted);

#endif /* SOFTPT_XL_TRANSLATE_H */
