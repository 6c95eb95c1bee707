/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter whose ticks are the TSC field of packets and of struct softpt_event: the TSC, and
 * on arm64 the generic timer's. It is the one thing of the machine that the device, replay and
 * the engine need; what steps programs or reads the kernel's events is for x86 alone (Kbuild).
 */
#ifndef _SOFTPT_CLOCK_H
#define _SOFTPT_CLOCK_H

#ifdef CONFIG_X86
#include <asm/tsc.h>

/* Ticks; not read ahead of what comes before it */
static inline u64 softpt_clock(void)
{
	return rdtsc_ordered();
}

static inline unsigned int softpt_clock_khz(void)
{
	return tsc_khz;
}
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline u64 softpt_clock(void)
{
	return arch_timer_read_counter();
}

static inline unsigned int softpt_clock_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}
#else
#error "softpt needs a counter that all CPUs share: the TSC, or arm64's generic timer"
#endif

#endif /* _SOFTPT_CLOCK_H */
