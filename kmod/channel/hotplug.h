/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs come and go. */
#ifndef _SOFTPT_CHANNEL_HOTPLUG_H
#define _SOFTPT_CHANNEL_HOTPLUG_H

struct softpt_channel;

int softpt_hotplug_init(void);
void softpt_hotplug_exit(void);
int softpt_hotplug_add(struct softpt_channel *ch);
void softpt_hotplug_remove(struct softpt_channel *ch);

#endif /* _SOFTPT_CHANNEL_HOTPLUG_H */
