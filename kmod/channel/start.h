/* SPDX-License-Identifier: GPL-2.0-only */
/* A channel starts and stops; what its owner asks of it. */
#ifndef _SOFTPT_CHANNEL_START_H
#define _SOFTPT_CHANNEL_START_H

#include "channel/channel.h"

int softpt_channel_init(struct softpt_channel *ch, struct softpt_gate *gate,
			const struct softpt_config *config, u32 cpu);
void softpt_channel_free(struct softpt_channel *ch);
void softpt_channel_configure(struct softpt_channel *ch, const struct softpt_config *config);
int softpt_channel_start(struct softpt_channel *ch, const struct softpt_setup *setup, bool live);
void softpt_channel_stop(struct softpt_channel *ch);
void softpt_channel_status(struct softpt_channel *ch, struct softpt_status *status);
int softpt_channel_demand(struct softpt_channel *ch, u16 kind);

#endif /* _SOFTPT_CHANNEL_START_H */
