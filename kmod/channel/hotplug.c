// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live channel whose CPU goes offline is stopped, and what it wrote stays readable. When the CPU
 * comes back, and the trace still runs, the channel goes on.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>

#include "channel/emit.h"
#include "channel/hotplug.h"
#include "channel/live.h"
#include "channel/page.h"

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

/*
 * Engine and triggers go on where they were: the source says where execution is, as after
 * SOFTPT_ENABLE. A source that has ended says nothing: then the channel stays stopped.
 */
static void restart(struct softpt_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	if (!ch->gone || READ_ONCE(ch->gate->ending))
		return;
	ch->gone = false;
	local_irq_disable();
	softpt_channel_force_check(ch);
	WRITE_ONCE(ch->flags, (ch->flags & ~SOFTPT_ST_DONE) | SOFTPT_ST_ENABLED);
	WRITE_ONCE(ch->running, true);
	softpt_channel_publish(ch);
	local_irq_enable();
}

/* On the CPU that comes back. What was done to the channel meanwhile was done under its lock. */
static int online(unsigned int cpu, struct hlist_node *node)
{
	struct softpt_channel *ch = hlist_entry(node, struct softpt_channel, node);

	if (ch->cpu == cpu) {
		mutex_lock(&ch->lock);
		restart(ch);
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

/**
 * softpt_hotplug_add() - stop a channel when its CPU goes
 * @ch: a live channel that is about to start
 *
 * Context: may sleep; not under the channel's lock, which online() takes.
 * Return: 0 or -errno.
 */
int softpt_hotplug_add(struct softpt_channel *ch)
{
	return cpuhp_state_add_instance_nocalls(state, &ch->node);
}

/* The opposite of softpt_hotplug_add(), whether that was called or not */
void softpt_hotplug_remove(struct softpt_channel *ch)
{
	if (hlist_unhashed_lockless(&ch->node))
		return;
	cpuhp_state_remove_instance_nocalls(state, &ch->node);
	INIT_HLIST_NODE(&ch->node);
}
