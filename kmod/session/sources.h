/* SPDX-License-Identifier: GPL-2.0-only */
/* The sources of this module */
#ifndef _SOFTPT_SESSION_SOURCES_H
#define _SOFTPT_SESSION_SOURCES_H

#include <linux/types.h>

struct softpt_source_ops;

const struct softpt_source_ops *softpt_source_find(u32 kind);
u32 softpt_source_mask(void);
int softpt_sources_init(void);
void softpt_sources_exit(void);

#endif /* _SOFTPT_SESSION_SOURCES_H */
