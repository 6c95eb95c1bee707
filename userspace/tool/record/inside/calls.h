/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls behind which a thread is recorded, or no more */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_CALLS_H
#define SOFTPT_TOOL_RECORD_INSIDE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "names.h"

/* The number of the system call NAME, or of one that is given by its number */
bool calls_number(const char *name, unsigned int *nr);
/* Whether that is one of these */
bool calls_have(const struct inside *in, uint32_t nr);
/* Tell the program's runtime, before it begins. */
void calls_share(const struct inside *in, struct softpt_xl_shared *shared);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_CALLS_H */
