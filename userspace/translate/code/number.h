/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of an address of code has 32 bits: below 2 GB it is the address. Numbers from
 * SOFTPT_XL_FAR on are of pieces of code that lie above: the far zone, and windows, which are
 * opened where a program executes something else.
 */
#ifndef SOFTPT_XL_NUMBER_H
#define SOFTPT_XL_NUMBER_H

#include <softpt/translate.h>

#include "../layout.h"
#include "../types.h"

/* Where pieces begin goes to @far, which the recorder reads. */
void number_init(u64 *far);
/* In the child of a fork(): to another */
void number_forked(u64 *far);
/* The number of @addr. 0: it has none, and nothing there is translated */
u32 number_of(u64 addr);
/*
 * A window at @addr, which has no number, if code is there or @force is set.
 *
 * Return: the number; @from and @to are what has one now. 0: none
 */
u32 number_open(u64 addr, bool force, u64 *from, u64 *to);
u64 number_addr(u32 number);
/* Whether something of [@from, @to) has a number */
bool number_any(u64 from, u64 to);
/* @each is called for all numbers of [@from, @to): an address may have two. */
void number_each(u64 from, u64 to, void (*each)(u64 from, u64 to, long arg), long arg);

#endif /* SOFTPT_XL_NUMBER_H */
