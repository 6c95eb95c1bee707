/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clocks start and stop with packet generation */
#ifndef _SOFTPT_ENGINE_HALT_H
#define _SOFTPT_ENGINE_HALT_H

#include "../state.h"

/* The clocks or packet generation stood still, and go on at @tsc. */
void softpt_clocks_start(struct softpt_engine *e, u64 tsc);
/* TriggerEn falls: ticks and cycles stop and are forgotten. */
void softpt_halt(struct softpt_engine *e);

#endif /* _SOFTPT_ENGINE_HALT_H */
