/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program makes system calls */
#ifndef SOFTPT_CODE_SYSCALLS_H
#define SOFTPT_CODE_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#define SYSCALLS_UNKNOWN	UINT32_MAX

/* An instruction SYSCALL at @offset of the file; @nr: its number, or SYSCALLS_UNKNOWN */
typedef void (*syscalls_fn)(void *ctx, uint64_t offset, uint32_t nr);

/**
 * syscalls_each() - instructions SYSCALL, and the constants that come to EAX right before
 * @fd: an ELF file for x86-64; it may change meanwhile
 * @each: gets them; a number that no instruction holds, as that of syscall(), is not known
 * @ctx: for @each
 * @looks: how many bytes that look so are looked at, at most; less those that were
 *
 * Return: 0; -ENOMEM; -E2BIG: it is too large, or @looks are over; -ENOEXEC: it is no such file
 */
int syscalls_each(int fd, syscalls_fn each, void *ctx, unsigned int *looks);

/* The number of the instruction SYSCALL that @n bytes of code end with; or SYSCALLS_UNKNOWN */
uint32_t syscalls_number(const uint8_t *code, size_t n);

#endif /* SOFTPT_CODE_SYSCALLS_H */
