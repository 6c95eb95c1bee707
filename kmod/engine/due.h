/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is due before an event, by its time alone */
#ifndef _SOFTPT_ENGINE_DUE_H
#define _SOFTPT_ENGINE_DUE_H

#include "state.h"

/* Write what is due before @ev, without triggers. Return: false when the sink is full before */
bool softpt_pass_time(struct softpt_engine *e, const struct softpt_event *ev,
		      struct softpt_sink *s);

#endif /* _SOFTPT_ENGINE_DUE_H */
