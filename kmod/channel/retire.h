/* SPDX-License-Identifier: GPL-2.0-only */
/* The retirement FIFO of a channel */
#ifndef _SOFTPT_CHANNEL_RETIRE_H
#define _SOFTPT_CHANNEL_RETIRE_H

#include "channel/channel.h"

void softpt_channel_retire(struct softpt_channel *ch, struct softpt_retire_cursor *by, u64 ip,
			   u32 n);
void softpt_channel_access(struct softpt_channel *ch, struct softpt_retire_cursor *by,
			   u64 address);
int softpt_channel_alloc_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_arm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);
int softpt_channel_read_fifo(struct softpt_channel *ch, struct softpt_fifo_args *args,
			     struct softpt_retirement *to);
int softpt_channel_rearm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);

#endif /* _SOFTPT_CHANNEL_RETIRE_H */
