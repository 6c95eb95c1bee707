/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second front end: perf events, with the step source's events and channels whose rings
 * are perf's AUX areas.
 *
 *	perf_event_open() -> perf events (pmu.c) -> a channel for each AUX area (aux.c)
 *
 *	format.c	sysfs, and what an event's attributes ask for
 */
#ifndef _SOFTPT_PMU_H
#define _SOFTPT_PMU_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER) && IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS)
int softpt_pmu_init(void);
void softpt_pmu_exit(void);
#else
static inline int softpt_pmu_init(void) { return 0; }
static inline void softpt_pmu_exit(void) { }
#endif

#endif /* _SOFTPT_PMU_H */
