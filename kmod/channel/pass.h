/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SOFTPT_CHANNEL_PASS_H
#define _SOFTPT_CHANNEL_PASS_H

#include "channel/channel.h"

int softpt_channel_pass(struct softpt_channel *ch, const struct softpt_event *ev, u64 keep);

#endif /* _SOFTPT_CHANNEL_PASS_H */
