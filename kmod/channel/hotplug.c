// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs come and go: a live unit whose CPU goes offline is closed, and what it wrote stays readable.
 * When the CPU comes back, and the session is still enabled, the unit goes on.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>

#include "channel/emit.h"

static enum cpuhp_state state;

/* On the CPU that goes, while interrupts and IPIs still reach it */
static int going(unsigned int cpu, struct hlist_node *node)
{
	struct softpt_channel *ch = hlist_entry(node, struct softpt_channel, node);

	if (ch->cpu == cpu) {
		local_irq_disable();
		ch->gone = ch->running;
		softpt_channel_stop_live(ch);
		local_irq_enable();
	}
	return 0;
}

/* On the CPU that comes back. What was done to the unit meanwhile was done under its lock. */
static int online(unsigned int cpu, struct hlist_node *node)
{
	struct softpt_channel *ch = hlist_entry(node, struct softpt_channel, node);

	if (ch->cpu == cpu) {
		mutex_lock(&ch->lock);
		softpt_channel_restart(ch);
		mutex_unlock(&ch->lock);
	}
	return 0;
}

int softpt_hotplug_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "softpt:channel", online, going);

	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void softpt_hotplug_exit(void)
{
	cpuhp_remove_multi_state(state);
}

int softpt_hotplug_add(struct softpt_channel *ch)
{
	return cpuhp_state_add_instance_nocalls(state, &ch->node);
}

void softpt_hotplug_remove(struct softpt_channel *ch)
{
	if (hlist_unhashed_lockless(&ch->node))
		return;
	cpuhp_state_remove_instance_nocalls(state, &ch->node);
	INIT_HLIST_NODE(&ch->node);
}
