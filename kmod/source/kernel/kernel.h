/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source "kernel": what tracepoints tell of the whole system.
 *
 *	source.c	sessions: start, stop, and each event to all of them
 *	cpu.c	user or kernel mode: what a CPU's units know of it
 *	probe.c	tracepoints, and the events that they become
 *
 * All but the list of units is a CPU's own: read and changed on it with interrupts off.
 * NMIs change nothing; their events are dropped by softpt_channel_event(), and counted.
 */
#ifndef _SOFTPT_KERNEL_H
#define _SOFTPT_KERNEL_H

#include "channel/channel.h"
#include "source/user-return.h"

/**
 * struct softpt_kernel_cpu - what the units of a CPU know of it
 * @listeners: units that want its events (source.c)
 * @ev: the way into the kernel or out of it, as it is told; on the stack, all of the event
 *	would have to be zeroed each time
 * @notifier: tells when user mode goes on
 * @watched: @notifier is registered
 * @gone: the CPU goes offline, or is: it is not to be watched
 * @in_kernel: CPL 0; only while @watched
 * @compat: user mode is not 64-bit
 * @idle: the state that it idles in
 * @khz: of the core clock, 0: not known
 * @next_khz: what cpufreq told since, perhaps on another CPU; 0: nothing
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
 * struct softpt_listener - a unit between the attach and the detach of its session
 * @node: of the list that its CPU has of them
 * @ch: the channel
 * @config: of its trace; it stays as it is until the detach
 * @begun: the unit knows the state that it began in; its CPU's own
 * @rcu: to free it
 */
struct softpt_listener {
	struct hlist_node node;
	struct softpt_channel *ch;
	const struct softpt_config *config;
	bool begun;
	struct rcu_head rcu;
};

/* source.c */
bool softpt_kernel_begin(struct softpt_listener *l, u64 tsc);
void softpt_kernel_begin_again(void);
void softpt_kernel_clock(u64 tsc);
void softpt_kernel_send_power(const struct softpt_event *ev);
void softpt_kernel_count_slow(u8 event_class, u16 submask, u8 cpl);

/* Those of the CPU that this runs on, interrupts off */
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
 * softpt_kernel_send() - an event of this CPU, to every session
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

/* cpu.c */
int softpt_kernel_cpus_init(void);
void softpt_kernel_cpus_exit(void);
void softpt_kernel_cpus_start(void);
void softpt_kernel_cpus_stop(void);
void softpt_kernel_cpu_switch(void);
void softpt_kernel_enter(const struct softpt_event *ev);
void softpt_kernel_arrived(u64 tsc);

/* The CPU is in kernel mode; if nothing has told of it, softpt_kernel_arrived() does. */
static inline void softpt_kernel_entered(u64 tsc)
{
	if (unlikely(!this_cpu_read(softpt_kernel_cpu.in_kernel)))
		softpt_kernel_arrived(tsc);
}

u64 softpt_kernel_gate(unsigned int vector);

/* probe.c */
bool softpt_kernel_probes_found(void);
int softpt_kernel_probes_register(void);
void softpt_kernel_probes_unregister(void);

#endif /* _SOFTPT_KERNEL_H */
