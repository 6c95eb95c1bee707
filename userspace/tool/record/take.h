/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated threads become a trace for each of them */
#ifndef SOFTPT_TOOL_RECORD_TAKE_H
#define SOFTPT_TOOL_RECORD_TAKE_H

#include "translation.h"

/* For struct members: records as they come, or as they were held, and a thread that is gone */
const uint32_t *take_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			     const uint32_t *to);
void take_end(void *ctx, struct slot *s);

/* For struct xl_calls, where only slow ones are kept */
void take_call_over(struct xl_unit *u);

/* So far: units that have ended, and those that are there */
struct softpt_counts take_sum(struct translation *t);

/* The unit ends, if there is one. */
void take_end_unit(struct translation *t, struct xl_unit *u, uint64_t tsc);

/* For members_each_slot(), when all that was held is taken: what is wanted of it is written */
int take_history(struct slot *s, void *arg);

#endif /* SOFTPT_TOOL_RECORD_TAKE_H */
