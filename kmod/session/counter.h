/* SPDX-License-Identifier: GPL-2.0-only */
/* What counters are set to */
#ifndef _SOFTPT_SESSION_COUNTER_H
#define _SOFTPT_SESSION_COUNTER_H

#include "session/session.h"

bool softpt_session_can_count(const struct softpt_session *session,
			      const struct softpt_source_ops *ops);

#endif /* _SOFTPT_SESSION_COUNTER_H */
