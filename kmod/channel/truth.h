/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of the truth (Documentation/reference/truth.rst) */
#ifndef _SOFTPT_CHANNEL_TRUTH_H
#define _SOFTPT_CHANNEL_TRUTH_H

#include "channel/channel.h"

int softpt_channel_alloc_truth(struct softpt_channel *ch, const struct softpt_config *config);
void softpt_channel_free_truth(struct softpt_channel *ch);
void softpt_channel_renew_truth(struct softpt_channel *ch);
void softpt_channel_arm_truth(struct softpt_channel *ch);
void softpt_channel_publish_truth(struct softpt_channel *ch);
bool softpt_channel_truth_waits(const struct softpt_channel *ch);
bool softpt_channel_truth_wakes(struct softpt_channel *ch);

#endif /* _SOFTPT_CHANNEL_TRUTH_H */
