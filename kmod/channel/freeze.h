/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring freezes, by command or by a trigger, and runs on. */
#ifndef _SOFTPT_CHANNEL_FREEZE_H
#define _SOFTPT_CHANNEL_FREEZE_H

#include "channel/truth.h"

void softpt_channel_arm_triggers(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_triggered(struct softpt_channel *ch);
void softpt_channel_freeze(struct softpt_channel *ch);
void softpt_channel_follow_gate(struct softpt_channel *ch);
bool softpt_channel_rearm(struct softpt_channel *ch, const u32 *freezes);

/**
 * softpt_channel_follow_triggers() - freeze, when a trigger wants it
 * @ch: the channel, owned by the caller, who asks after each call of the engine
 */
static inline void softpt_channel_follow_triggers(struct softpt_channel *ch)
{
	if (unlikely(ch->engine.triggers.set))
		softpt_channel_triggered(ch);
}

/**
 * softpt_channel_follow() - what else is to be done after each call of the engine
 * @ch: the channel, owned by the caller
 */
static inline void softpt_channel_follow(struct softpt_channel *ch)
{
	if (unlikely(ch->engine.truth))
		softpt_channel_publish_truth(ch);
	softpt_channel_follow_triggers(ch);
}

#endif /* _SOFTPT_CHANNEL_FREEZE_H */
