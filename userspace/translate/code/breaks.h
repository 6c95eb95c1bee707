/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints that the recorder has put into the program's code: an INT3 in place of a byte */
#ifndef SOFTPT_XL_BREAKS_H
#define SOFTPT_XL_BREAKS_H

#include <softpt/translate.h>

#include "../types.h"

/* These, too. The program may write to @said meanwhile. Under xl_lock, or alone */
void breaks_take(const u64 *said, u32 nr);
/* Whether there is one */
bool breaks_at(u64 addr);
/* @code was read at @addr: put the program's bytes where breakpoints are. */
void breaks_hide(u64 addr, u8 *code, u32 n);

#endif /* SOFTPT_XL_BREAKS_H */
