/* SPDX-License-Identifier: GPL-2.0-only */
/* Channels of a session start and stop together. */
#ifndef _SOFTPT_SESSION_START_H
#define _SOFTPT_SESSION_START_H

#include "session/session.h"

int softpt_session_enable(struct softpt_session *session, u64 *tsc);
int softpt_session_disable(struct softpt_session *session, u64 *tsc);
void softpt_session_follow(struct softpt_session *session);
void softpt_session_stop_channel(struct softpt_session *session, struct softpt_channel *ch);

#endif /* _SOFTPT_SESSION_START_H */
