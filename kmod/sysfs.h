/* SPDX-License-Identifier: GPL-2.0-only */
/* What this module and this machine can do: SOFTPT_GET_CAPS, and the same in sysfs */
#ifndef _SOFTPT_SYSFS_H
#define _SOFTPT_SYSFS_H

#include <linux/softpt.h>

struct attribute_group;

extern const struct attribute_group *softpt_groups[];

void softpt_caps(struct softpt_caps *caps);

#endif /* _SOFTPT_SYSFS_H */
