/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ContextEn and FilterEn: CPL, CR3, address ranges */
#ifndef _SOFTPT_ENGINE_FILTER_H
#define _SOFTPT_ENGINE_FILTER_H

#include "../state.h"

void softpt_context_update(struct softpt_engine *e);
bool softpt_in_filter(const struct softpt_engine *e, u64 ip);
bool softpt_in_stop(const struct softpt_engine *e, u64 ip);

#endif /* _SOFTPT_ENGINE_FILTER_H */
