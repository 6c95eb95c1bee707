/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's lock, and what is owed to the session (lock.c) */
#ifndef _SOFTPT_SESSION_LOCK_H
#define _SOFTPT_SESSION_LOCK_H

#include "session/session.h"

void softpt_session_lock_init(struct softpt_session *session);
void softpt_session_lock(struct softpt_session *session);
int softpt_session_lock_killable(struct softpt_session *session);
void softpt_session_unlock(struct softpt_session *session);
void softpt_session_owe(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_later(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_unit(struct softpt_unit *unit);

#endif /* _SOFTPT_SESSION_LOCK_H */
