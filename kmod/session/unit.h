/* SPDX-License-Identifier: GPL-2.0-only */
/* The fd of one CPU's channel */
#ifndef _SOFTPT_SESSION_UNIT_H
#define _SOFTPT_SESSION_UNIT_H

#include "session/session.h"

int softpt_unit_create(struct softpt_session *session, u32 cpu);
void softpt_unit_remove(struct softpt_unit *unit);

#endif /* _SOFTPT_SESSION_UNIT_H */
