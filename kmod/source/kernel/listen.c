// SPDX-License-Identifier: GPL-2.0-only
/* Each event of a CPU goes to all channels that listen there. Filters are the engine's task. */

#include <linux/hardirq.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "listen.h"

/* Changes of the lists. Taken under the lock of a trace; no lock is taken under it. */
static DEFINE_MUTEX(lock);

DEFINE_PER_CPU(struct softpt_kernel_cpu, softpt_kernel_cpu);

/**
 * softpt_kernel_attach() - the channel gets its CPU's events from here on
 * @ch: the channel; events before the start of its trace are ignored
 * @setup: its setup
 *
 * Return: 0 or -ENOMEM.
 */
int softpt_kernel_attach(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	struct softpt_listener *l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);

	if (!l)
		return -ENOMEM;
	l->ch = ch;
	l->config = &setup->config;
	ch->source_data = l;
	mutex_lock(&lock);
	hlist_add_head_rcu(&l->node, &per_cpu(softpt_kernel_cpu, ch->cpu).listeners);
	mutex_unlock(&lock);
	return 0;
}

/**
 * softpt_kernel_detach() - the channel gets no more events
 * @ch: the channel
 *
 * An event that has found the channel before is done when the channel's CPU takes an interrupt.
 */
void softpt_kernel_detach(struct softpt_channel *ch)
{
	struct softpt_listener *l = ch->source_data;

	mutex_lock(&lock);
	hlist_del_rcu(&l->node);
	mutex_unlock(&lock);
	ch->source_data = NULL;
	kfree_rcu(l, rcu);
}

static void send_clock(struct softpt_listener *l, u64 tsc, u32 khz)
{
	const struct softpt_config *config = l->config;
	u64 ratio = div_u64((u64)khz * config->p1 + tsc_khz / 2, tsc_khz);
	struct softpt_event ev = { .kind = SOFTPT_EV_CBR, .tsc = tsc };

	ev.arg = clamp_t(u64, ratio, config->min_ratio, config->max_ratio);
	softpt_channel_event(l->ch, &ev);
}

/**
 * softpt_kernel_begin() - send the state of this CPU before the first event of a trace
 * @l: the channel that gets it
 * @tsc: when
 *
 * Context: interrupts off.
 * Return: false when the start is still to come, or the channel has stopped.
 */
bool softpt_kernel_begin(struct softpt_listener *l, u64 tsc)
{
	struct softpt_channel *ch = l->ch;
	const struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct softpt_event state[] = {
		{ .kind = SOFTPT_EV_MODE, .arg = cpu->compat && !cpu->in_kernel ? 32 : 64 },
		{ .kind = SOFTPT_EV_CPL, .cpl = cpu->in_kernel ? 0 : 3 },
		{ .kind = SOFTPT_EV_CR3, .arg = read_cr3_pa() },
		{ .kind = SOFTPT_EV_ENABLE },
	};
	unsigned int i;

	if (!ch->running || tsc < READ_ONCE(ch->gate->on) || in_nmi())
		return false;
	if (!cpu->in_kernel)
		state[3].ip = task_pt_regs(current)->ip;
	l->begun = true;
	if (cpu->khz)
		send_clock(l, tsc, cpu->khz);
	for (i = 0; i < ARRAY_SIZE(state); i++) {
		state[i].tsc = tsc;
		softpt_channel_event(ch, &state[i]);
	}
	return true;
}

/* What the channels know of this CPU is out of date. */
void softpt_kernel_begin_again(void)
{
	struct softpt_listener *l;

	local_irq_disable();
	softpt_for_each_listener(l)
		l->begun = false;
	local_irq_enable();
}

/* Send what cpufreq has said of this CPU since the last event. Context: interrupts off. */
void softpt_kernel_clock(u64 tsc)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct softpt_listener *l;

	if (in_nmi())
		return;
	cpu->khz = xchg(&cpu->next_khz, 0);
	softpt_for_each_listener(l) {
		if (l->begun)
			send_clock(l, tsc, cpu->khz);
	}
}

/**
 * softpt_kernel_send_power() - softpt_kernel_send(), to channels with power events
 * @ev: the event
 *
 * Without them idle is time like any other: the clocks run on.
 */
void softpt_kernel_send_power(const struct softpt_event *ev)
{
	struct softpt_listener *l;

	softpt_kernel_clock_first(ev->tsc);
	softpt_for_each_listener(l) {
		if (l->config->flags & SOFTPT_F_PWR)
			softpt_kernel_send_to(l, ev);
	}
}

void softpt_kernel_count_slow(u8 event_class, u16 submask, u8 cpl)
{
	struct softpt_listener *l;

	softpt_for_each_listener(l)
		softpt_channel_count(l->ch, event_class, submask, cpl, 0);
}
