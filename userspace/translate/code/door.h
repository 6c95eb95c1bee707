/* SPDX-License-Identifier: BSD-2-Clause */
/* Doors: functions that the recorder waits for, and where they were called */
#ifndef SOFTPT_XL_DOOR_H
#define SOFTPT_XL_DOOR_H

#include <softpt/translate.h>

#include "../types.h"

/* This process runs @path, whose addresses are those of its file and @base; @s names functions. */
void door_init(const struct softpt_xl_shared *s, const char *path, u64 base);
/* Whether a function that is waited for begins at @addr */
bool door_at(u64 addr);
/* One will return to @addr. Return: whether that is new. Under xl_lock */
bool door_back(u64 addr);
/* Whether one may return to @addr. Under xl_lock */
bool door_is_back(u64 addr);

#endif /* SOFTPT_XL_DOOR_H */
