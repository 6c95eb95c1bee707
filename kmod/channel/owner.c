// SPDX-License-Identifier: GPL-2.0-only
/* On whose CPU something is done to a channel */

#include <linux/irqflags.h>
#include <linux/smp.h>

#include "channel/channel.h"

/**
 * softpt_channel_on_owner() - do something to the channel where nothing else can be doing it
 * @ch: the channel, its lock held
 * @fn: what; it runs with interrupts off on the channel's CPU if the channel is live
 * @arg: for @fn
 *
 * A live channel whose CPU is offline was stopped by its hotplug callback, so that any
 * CPU may run @fn then. @fn may not look for the locks of the caller: the caller waits elsewhere.
 */
void softpt_channel_on_owner(struct softpt_channel *ch, void (*fn)(void *arg), void *arg)
{
	lockdep_assert_held(&ch->lock);
	if (ch->engine.live && !smp_call_function_single(ch->cpu, fn, arg, true))
		return;
	if (!ch->engine.live) {
		fn(arg);
		return;
	}
	local_irq_disable();
	fn(arg);
	local_irq_enable();
}
