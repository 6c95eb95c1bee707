/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source "kernel": what tracepoints tell of the whole system.
 *
 *	source-kernel.c	sessions: start, stop, and each event to all of them
 *	kernel-cpu.c	user or kernel mode: what a CPU's units know of it
 *	kernel-probe.c	tracepoints, and the events that they become
 *
 * All but the sessions' list is a CPU's own: read and changed on it with interrupts off.
 * NMIs change nothing; their events are dropped by softpt_unit_live(), and counted.
 */
#ifndef _SOFTPT_KERNEL_H
#define _SOFTPT_KERNEL_H

#include <linux/user-return-notifier.h>

#include "softpt.h"

/**
 * struct softpt_kernel_cpu - what the units of a CPU know of it
 * @notifier: registered while @in_kernel: tells when user mode goes on
 * @in_kernel: CPL 0
 * @going: the CPU goes offline or is: @notifier must not come back
 * @compat: user mode is not 64-bit
 * @idle: the state that it idles in
 * @khz: of the core clock, 0: not known
 * @next_khz: what cpufreq told since, perhaps on another CPU; 0: nothing
 */
struct softpt_kernel_cpu {
	struct user_return_notifier notifier;
	bool in_kernel;
	bool going;
	bool compat;
	u8 idle;
	u32 khz;
	u32 next_khz;
};

DECLARE_PER_CPU(struct softpt_kernel_cpu, softpt_kernel_cpu);

/* source-kernel.c */
void softpt_kernel_send(const struct softpt_event *ev);

/* kernel-cpu.c */
int softpt_kernel_cpus_init(void);
void softpt_kernel_cpus_exit(void);
void softpt_kernel_cpus_start(void);
void softpt_kernel_cpus_stop(void);
void softpt_kernel_enter(const struct softpt_event *ev);
void softpt_kernel_entered(u64 tsc);
u64 softpt_kernel_gate(unsigned int vector);

/* kernel-probe.c */
bool softpt_kernel_probes_found(void);
int softpt_kernel_probes_register(void);
void softpt_kernel_probes_unregister(void);

#endif /* _SOFTPT_KERNEL_H */
