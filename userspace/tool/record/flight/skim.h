/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a flight recorder, looked at as they come: of all that they say, what can't wait */
#ifndef SOFTPT_TOOL_RECORD_SKIM_H
#define SOFTPT_TOOL_RECORD_SKIM_H

#include "../translation.h"

/* For struct members: up to the first that has a trigger event, which is in @t->flight then */
const uint32_t *skim_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			     const uint32_t *to);

/* What an escape says of a thread, and what of its instructions it has done */
void skim_place(struct translation *t, struct member *m, struct place *p,
		const struct softpt_xl_escape *e);

/* As skim_records(), of @most words, or a few more */
const uint32_t *skim_piece(struct translation *t, struct member *m, struct slot *s,
			   const uint32_t *from, const uint32_t *to, size_t most);

#endif /* SOFTPT_TOOL_RECORD_SKIM_H */
