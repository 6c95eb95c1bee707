/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second front end: perf events, with the step source's events and units whose rings
 * are perf's AUX areas.
 *
 *	pmu.c		the PMU: events come and go
 *	pmu-aux.c	an AUX area is a unit's ring
 *	pmu-format.c	sysfs, and what an event's attributes ask for
 */
#ifndef _SOFTPT_PMU_H
#define _SOFTPT_PMU_H

#include <linux/perf_event.h>

#include "softpt.h"

/**
 * struct softpt_aux - what is being written to an AUX area
 * @handle: perf's
 * @unit: whose ring the area is; NULL while nothing may be written
 * @from: position in it from which on perf has not been told
 * @truncated: perf has been told that packets are lost
 */
struct softpt_aux {
	struct perf_output_handle handle;
	struct softpt_unit *unit;
	u64 from;
	bool truncated;
};

/* pmu-aux.c */
void *softpt_aux_setup(struct perf_event *event, void **pages, int nr, bool overwrite);
void softpt_aux_free(void *unit);
bool softpt_aux_begin(struct softpt_aux *aux, struct perf_event *event);
bool softpt_aux_written(struct softpt_aux *aux);
bool softpt_aux_can_wait(const struct softpt_aux *aux, const struct perf_event *event);
void softpt_aux_end(struct softpt_aux *aux);
void softpt_aux_exit(void);

/* pmu-format.c */
extern const struct attribute_group *softpt_pmu_groups[];
void softpt_pmu_format_init(void);
int softpt_pmu_config(const struct perf_event *event, struct softpt_config *config);

/* pmu.c */
void softpt_pmu_tell(struct softpt_unit *unit);

#endif /* _SOFTPT_PMU_H */
