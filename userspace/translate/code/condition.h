/* SPDX-License-Identifier: BSD-2-Clause */
/* What arguments a call of a function has to have for the recorder to be told of it */
#ifndef SOFTPT_XL_CONDITION_H
#define SOFTPT_XL_CONDITION_H

#include "../thread.h"

/* As @shared says, to which the program may write. Where no other thread runs */
void condition_take(const struct softpt_xl_shared *shared);
/* Whether there is one */
bool condition_any(void);
/* Whether it holds where a function is entered, with the registers @c */
bool condition_holds(const struct context *c);

#endif /* SOFTPT_XL_CONDITION_H */
