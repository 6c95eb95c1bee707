/* SPDX-License-Identifier: GPL-2.0-only */
/* A channel whose ring is perf's AUX area (aux.c) */
#ifndef _SOFTPT_PERF_AUX_H
#define _SOFTPT_PERF_AUX_H

#include <linux/perf_event.h>

#include "channel/channel.h"

/**
 * struct softpt_aux - what is being written to an AUX area
 * @handle: perf's
 * @ch: whose ring the area is; NULL while nothing may be written
 * @from: position in it up to which perf was notified
 * @truncated: perf was notified that packets are lost
 */
struct softpt_aux {
	struct perf_output_handle handle;
	struct softpt_channel *ch;
	u64 from;
	bool truncated;
};

void *softpt_aux_setup(void **pages, int nr, bool overwrite,
		       void (*notify)(struct softpt_channel *ch));
void softpt_aux_free(void *ch);
bool softpt_aux_begin(struct softpt_aux *aux, struct perf_event *event);
bool softpt_aux_written(struct softpt_aux *aux);
bool softpt_aux_can_wait(const struct softpt_aux *aux, const struct perf_event *event);
void softpt_aux_end(struct softpt_aux *aux);
void softpt_aux_exit(void);

#endif /* _SOFTPT_PERF_AUX_H */
