/* SPDX-License-Identifier: BSD-2-Clause */
/* Doors: places that the recorder waits for, and where their functions were called */
#ifndef SOFTPT_XL_DOOR_H
#define SOFTPT_XL_DOOR_H

#include <softpt/translate.h>

#include "../types.h"

/*
 * Those among these places, and no more. The program may write to @said meanwhile. Under xl_lock,
 * or where no other thread runs
 */
void door_take(const struct softpt_xl_place *said, u32 nr);
/* Whether @addr is waited for: a function that begins, or a place within one. Under xl_lock */
bool door_at(u64 addr);
/* enum softpt_xl_role of the door @addr: all that were said of it. Under xl_lock */
u32 door_role(u64 addr);
/*
 * RSP at the entry of the function that has the door @addr, from the registers there. @within: set
 * to whether it is a place within. Under xl_lock
 */
u64 door_entry(u64 addr, u64 rsp, u64 rbp, bool *within);
/* Whether there may be any */
bool door_any(void);
/* One will return to @addr. Return: whether that is new. Under xl_lock */
bool door_back(u64 addr);
/* Whether one may return to @addr. Under xl_lock */
bool door_is_back(u64 addr);

#endif /* SOFTPT_XL_DOOR_H */
