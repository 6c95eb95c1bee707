/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source "kernel": what tracepoints say of the whole system. From top to bottom: a file calls only
 * those below it.
 *
 *	source.c	traces: start, stop
 *	probe.c		tracepoints, and the events that they become
 *	cpu.c		user or kernel mode
 *	listen.c	channels, and each event to all of them
 */
#ifndef _SOFTPT_KERNEL_H
#define _SOFTPT_KERNEL_H

#include "listen.h"

/* cpu.c */
int softpt_kernel_cpus_init(void);
void softpt_kernel_cpus_exit(void);
void softpt_kernel_cpus_start(void);
void softpt_kernel_cpus_stop(void);
void softpt_kernel_cpu_switch(void);
void softpt_kernel_enter(const struct softpt_event *ev);
void softpt_kernel_infer_entry(u64 tsc);

/* The CPU is in kernel mode: if no event has entered it, send one. Context: interrupts off. */
static inline void softpt_kernel_ensure_entry(u64 tsc)
{
	if (unlikely(!this_cpu_read(softpt_kernel_cpu.in_kernel)))
		softpt_kernel_infer_entry(tsc);
}

u64 softpt_kernel_idt_handler(unsigned int vector);

/* probe.c */
bool softpt_kernel_probes_found(void);
int softpt_kernel_probes_register(void);
void softpt_kernel_probes_unregister(void);

#endif /* _SOFTPT_KERNEL_H */
