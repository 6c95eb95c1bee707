/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's mappings, as far as translation depends on them */
#ifndef SOFTPT_XL_MEMORY_H
#define SOFTPT_XL_MEMORY_H

#include "block.h"
#include "layout.h"

/* ---- the table of indirect branches (table.c) ---- */

void table_init(void);
/* Branches to @b->addr are one jump from now on. */
void table_add(const struct block *b);
/* @b is elsewhere. */
void table_moved(const struct block *b);
void table_forget(u32 addr);
/* A jump through the table has met memory that nobody has filled: @address. Return: whether */
bool table_hole(u64 target);

/* ---- mappings (memory.c) ---- */

void memory_init(void);
/* Code of [@from, @to) is translated: writes there are to be noticed. */
void memory_translated(u32 from, u32 to);
/* The program has made what is there, or may have. */
bool memory_in_no_file(u32 from, u32 to);
/* A write to a page that is protected for that. Return: it can be done now */
bool memory_write_fault(u64 addr);
/* A system call has met such a page, perhaps. Return: whether it is to be tried again */
bool memory_open_all(void);

long memory_mmap(long addr, long len, long prot, long flags, long fd, long offset);
long memory_munmap(long addr, long len);
long memory_mprotect(long nr, long addr, long len, long prot, long key);
long memory_mremap(long addr, long len, long new_len, long flags, long to);
long memory_brk(u64 addr);

#endif /* SOFTPT_XL_MEMORY_H */
