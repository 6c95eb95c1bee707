/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints in the program's code: an INT3 in place of a byte */
#ifndef SOFTPT_XL_BREAKS_H
#define SOFTPT_XL_BREAKS_H

#include <softpt/translate.h>

#include "../types.h"

/*
 * At these places, and no others. One whose code is another than the recorder says has none: a
 * function is not noticed then. The program may write to @said meanwhile.
 *
 * Return: whether all system calls among them have one. Under xl_lock, or alone
 */
bool breaks_set(const struct softpt_xl_place *said, u32 nr);
/* Take those of [@from, @to) away, which is about to be elsewhere. Under xl_lock */
void breaks_leave(u64 from, u64 to);
/* Take all away. Return: whether that could be done. Under xl_lock, or alone */
bool breaks_end(void);
/* Whether there is one. Without a lock */
bool breaks_at(u64 addr);
/* @code was read at @addr: put the program's bytes where breakpoints are. */
void breaks_hide(u64 addr, u8 *code, u32 n);

#endif /* SOFTPT_XL_BREAKS_H */
