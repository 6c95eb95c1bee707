/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's mappings, as far as translation depends on them */
#ifndef SOFTPT_XL_MEMORY_H
#define SOFTPT_XL_MEMORY_H

#include "types.h"

void memory_init(void);
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
