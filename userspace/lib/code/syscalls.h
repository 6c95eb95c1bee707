/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program makes system calls */
#ifndef SOFTPT_CODE_SYSCALLS_H
#define SOFTPT_CODE_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "code/names/named.h"

/**
 * syscalls_find() - instructions SYSCALL whose number is put into EAX right before
 * @fd: an ELF file for x86-64; it may change meanwhile
 * @wanted: whether a number is looked for
 * @list: where they are in the file; they are added, and those whose number is not known, as that
 *	of syscall()
 * @looks: how many bytes that look so are looked at, at most; less those that were
 *
 * Return: 0; -ENOMEM; -E2BIG: it is too large, or @looks are over; -ENOEXEC: it is no such file
 */
int syscalls_find(int fd, bool (*wanted)(uint32_t nr), struct named_list *list,
		  unsigned int *looks);

#endif /* SOFTPT_CODE_SYSCALLS_H */
