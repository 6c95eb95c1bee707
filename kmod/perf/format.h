/* SPDX-License-Identifier: GPL-2.0-only */
/* What an event's attributes ask for, and sysfs */
#ifndef _SOFTPT_PERF_FORMAT_H
#define _SOFTPT_PERF_FORMAT_H

#include <linux/perf_event.h>
#include <linux/softpt.h>

extern const struct attribute_group *softpt_pmu_groups[];

int softpt_pmu_format_init(void);
bool softpt_pmu_kernel_is_opaque(void);
int softpt_pmu_config(const struct perf_event *event, struct softpt_config *config);

#endif /* _SOFTPT_PERF_FORMAT_H */
