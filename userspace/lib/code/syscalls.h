/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program makes system calls */
#ifndef SOFTPT_CODE_SYSCALLS_H
#define SOFTPT_CODE_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "code/names/named.h"

/**
 * syscalls_find() - instructions SYSCALL whose number is put into EAX right before
 * @path: of an ELF file for x86-64
 * @wanted: whether a number is looked for
 * @list: where they are in the file; they are added
 *
 * Numbers that come from elsewhere, as those of syscall(), are not known.
 *
 * Return: 0; -ENOMEM; -ENOEXEC: there is no such file
 */
int syscalls_find(const char *path, bool (*wanted)(uint32_t nr), struct named_list *list);

#endif /* SOFTPT_CODE_SYSCALLS_H */
