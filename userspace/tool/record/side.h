/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording of a translated program has besides traces */
#ifndef SOFTPT_TOOL_RECORD_SIDE_H
#define SOFTPT_TOOL_RECORD_SIDE_H

#include "translation.h"

/* What the kernel has told of mappings and names, and of itself. An error is latched. */
void side_drain(struct translation *t);

/* Code that no file holds, to which the thread at @at came. Return: 0 or -errno */
int side_code(struct translation *t, struct member *m, const struct softpt_xl_escape *e,
	      const struct place *at);

/* The signal of @e has ended the thread: how, as its process tells. Return: 0 or -errno */
int side_crash(struct translation *t, const struct member *m, const struct slot *s,
	       const struct softpt_xl_escape *e, uint64_t tsc);

#endif /* SOFTPT_TOOL_RECORD_SIDE_H */
