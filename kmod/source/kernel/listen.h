/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channels that listen to a CPU's events, and what they know of the CPU.
 *
 * All but the list is the CPU's own: read and changed there with interrupts off. NMIs change
 * nothing; their events are lost, and counted (softpt_channel_event()).
 */
#ifndef _SOFTPT_KERNEL_LISTEN_H
#define _SOFTPT_KERNEL_LISTEN_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/rculist.h>

#include "channel/live.h"
#include "source/user-return.h"

/**
 * struct softpt_kernel_cpu - what the channels of a CPU know of it
 * @listeners: struct softpt_listener. Changed under a lock of listen.c, read with interrupts off
 * @ev: the way into the kernel or out of it, as it is sent. On the stack, all of the event would
 *	have to be zeroed each time
 * @notifier: runs when user mode goes on
 * @watched: @notifier is registered
 * @gone: the CPU goes offline, or is: it is not to be watched
 * @in_kernel: CPL 0; only while @watched
 * @compat: user mode is not 64-bit
 * @idle: the state that it idles in
 * @khz: of the core clock; 0: not known
 * @next_khz: what cpufreq said since, perhaps on another CPU; 0: nothing
 */
struct softpt_kernel_cpu {
	struct hlist_head listeners;
	struct softpt_event ev;
	struct softpt_return notifier;
	bool watched;
	bool gone;
	bool in_kernel;
	bool compat;
	u8 idle;
	u32 khz;
	u32 next_khz;
};

DECLARE_PER_CPU(struct softpt_kernel_cpu, softpt_kernel_cpu);

/**
 * struct softpt_listener - a channel between its attach and its detach
 * @node: of its CPU's list
 * @ch: the channel
 * @config: of its trace; it stays as it is until the detach
 * @begun: the channel knows the state that it began in; changed on its CPU only
 * @rcu: to free it
 */
struct softpt_listener {
	struct hlist_node node;
	struct softpt_channel *ch;
	const struct softpt_config *config;
	bool begun;
	struct rcu_head rcu;
};

int softpt_kernel_attach(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_kernel_detach(struct softpt_channel *ch);
bool softpt_kernel_begin(struct softpt_listener *l, u64 tsc);
void softpt_kernel_begin_again(void);
void softpt_kernel_clock(u64 tsc);
void softpt_kernel_send_power(const struct softpt_event *ev);
void softpt_kernel_count_slow(u8 event_class, u16 submask, u8 cpl);

/* Those of the CPU that this runs on. Context: interrupts off. */
#define softpt_for_each_listener(l) \
	hlist_for_each_entry_rcu(l, this_cpu_ptr(&softpt_kernel_cpu.listeners), node, \
				 irqs_disabled())

static inline void softpt_kernel_send_to(struct softpt_listener *l, const struct softpt_event *ev)
{
	if (likely(l->begun) || softpt_kernel_begin(l, ev->tsc))
		softpt_channel_event(l->ch, ev);
}

static inline void softpt_kernel_clock_first(u64 tsc)
{
	if (unlikely(this_cpu_read(softpt_kernel_cpu.next_khz)))
		softpt_kernel_clock(tsc);
}

/**
 * softpt_kernel_send() - give an event of this CPU to each channel that listens
 * @ev: the event, its time the TSC
 *
 * Context: interrupts off. Takes no lock: may run under the run queue's.
 */
static inline void softpt_kernel_send(const struct softpt_event *ev)
{
	struct softpt_listener *l;

	softpt_kernel_clock_first(ev->tsc);
	softpt_for_each_listener(l)
		softpt_kernel_send_to(l, ev);
}

/**
 * softpt_kernel_count() - something happened on this CPU that counters may count
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 *
 * Context: as softpt_kernel_send(), not NMI.
 */
static inline void softpt_kernel_count(u8 event_class, u16 submask, u8 cpl)
{
	if (unlikely(atomic_read(&softpt_counting)))
		softpt_kernel_count_slow(event_class, submask, cpl);
}

#endif /* _SOFTPT_KERNEL_LISTEN_H */
