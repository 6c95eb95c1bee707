/* SPDX-License-Identifier: BSD-2-Clause */
/* All that is translated goes when there is no room for more. */
#ifndef SOFTPT_XL_FLUSH_H
#define SOFTPT_XL_FLUSH_H

#include "thread.h"

/* xl_lock, when nobody flushes */
void flush_lock(void);
/* The caller, @t, holds xl_lock, which is given back meanwhile. What it knew of links is void. */
void flush_if_full(struct thread *t);
/* How often that was done */
u32 flush_count(void);

#endif /* SOFTPT_XL_FLUSH_H */
