/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of indirect branches: for each address of code where its translation is */
#ifndef SOFTPT_XL_TABLE_H
#define SOFTPT_XL_TABLE_H

#include "block.h"

/* @wide: the program's code may be anywhere: the index is the low half of an address. */
void table_init(bool wide);
bool table_is_wide(void);
/* Where a jump through the table goes that has found nothing */
u64 table_miss(void);
/* jmp *table[rcx], where RCX is spilled */
void put_table_jump(void);
/* Nothing is translated. */
void table_clear(void);
/* Branches to @b->addr are one jump from now on. */
void table_add(const struct block *b);
/* @b is elsewhere. */
void table_moved(const struct block *b);
/* The same, where nothing need be translated */
void table_shut(u64 addr);
void table_forget(const struct block *b);
/* A jump through the table to @target has met memory that nobody has filled. Return: whether */
bool table_hole(u64 target);

#endif /* SOFTPT_XL_TABLE_H */
