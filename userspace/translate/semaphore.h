/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Semaphores of probes (USDT): a program looks at such a counter before it makes what a probe
 * tells. As the kernel does for uprobes, one is added as long as the probe is waited for.
 */
#ifndef SOFTPT_XL_SEMAPHORE_H
#define SOFTPT_XL_SEMAPHORE_H

#include <softpt/translate.h>

#include "types.h"

/* Those among these places, and no more. Under xl_lock, or where no other thread runs */
void semaphore_take(const struct softpt_xl_place *said, u32 nr);
/* [@from, @to) is about to be something else. Not under xl_lock */
void semaphore_leave(u64 from, u64 to);
/* The recording ends. Under xl_lock, or alone */
void semaphore_end(void);

#endif /* SOFTPT_XL_SEMAPHORE_H */
