/* SPDX-License-Identifier: GPL-2.0-only */
/* A session begins with SOFTPT_CREATE_SESSION. */
#ifndef _SOFTPT_SESSION_CREATE_H
#define _SOFTPT_SESSION_CREATE_H

#include <linux/types.h>

int softpt_session_create(u32 flags);

#endif /* _SOFTPT_SESSION_CREATE_H */
