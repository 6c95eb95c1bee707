/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PSB+ */
#ifndef _SOFTPT_ENGINE_PSB_H
#define _SOFTPT_ENGINE_PSB_H

#include "../state.h"

void softpt_psb_plus(struct softpt_engine *e, struct softpt_sink *s);

#endif /* _SOFTPT_ENGINE_PSB_H */
