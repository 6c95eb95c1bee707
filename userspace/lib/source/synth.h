/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a program that does not exist */
#ifndef SOFTPT_SOURCE_SYNTH_H
#define SOFTPT_SOURCE_SYNTH_H

#include <stddef.h>

#include <linux/softpt.h>

struct event_list;

/**
 * synth_events() - events of the module's source "synth"
 * @text: PROFILE[,KEY=VALUE...]
 * @clock_permille: instead of the profile's; -1: that
 * @cfg: for the platform's clock ratios
 * @list: all zero; event_list_free() it in any case
 * @why: on an error, one line
 * @len: bytes of @why
 *
 * Return: 0, -EINVAL with a line in @why, or -ENOMEM.
 */
int synth_events(const char *text, int clock_permille, const struct softpt_config *cfg,
		 struct event_list *list, char *why, size_t len);

#endif /* SOFTPT_SOURCE_SYNTH_H */
