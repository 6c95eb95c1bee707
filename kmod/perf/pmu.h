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

#include <linux/perf_event.h>

#include "channel/channel.h"

/**
 * struct softpt_aux - what is being written to an AUX area
 * @handle: perf's
 * @ch: whose ring the area is; NULL while nothing may be written
 * @from: position in it from which on perf has not been told
 * @truncated: perf has been told that packets are lost
 */
struct softpt_aux {
	struct perf_output_handle handle;
	struct softpt_channel *ch;
	u64 from;
	bool truncated;
};

/* aux.c */
void *softpt_aux_setup(struct perf_event *event, void **pages, int nr, bool overwrite);
void softpt_aux_free(void *ch);
bool softpt_aux_begin(struct softpt_aux *aux, struct perf_event *event);
bool softpt_aux_written(struct softpt_aux *aux);
bool softpt_aux_can_wait(const struct softpt_aux *aux, const struct perf_event *event);
void softpt_aux_end(struct softpt_aux *aux);
void softpt_aux_exit(void);

/* format.c */
extern const struct attribute_group *softpt_pmu_groups[];
void softpt_pmu_format_init(void);
int softpt_pmu_config(const struct perf_event *event, struct softpt_config *config);

/* pmu.c */
void softpt_pmu_notify(struct softpt_channel *ch);

#if IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER) && IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS)
int softpt_pmu_init(void);
void softpt_pmu_exit(void);
#else
static inline int softpt_pmu_init(void) { return 0; }
static inline void softpt_pmu_exit(void) { }
#endif

#endif /* _SOFTPT_PMU_H */
