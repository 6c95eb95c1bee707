/* SPDX-License-Identifier: GPL-2.0-only */
/* What triggers are set to */
#ifndef _SOFTPT_SESSION_TRIGGER_H
#define _SOFTPT_SESSION_TRIGGER_H

#include "session/session.h"

bool softpt_session_can_trigger(const struct softpt_session *session,
				const struct softpt_source_ops *ops);
bool softpt_session_triggers_fit(const struct softpt_session *session);

#endif /* _SOFTPT_SESSION_TRIGGER_H */
