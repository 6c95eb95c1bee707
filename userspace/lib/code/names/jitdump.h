/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of code that a compiler has made while the program ran: jit-PID.dump, as perf has it
 * (jitdump-specification.txt of its sources). The program maps its begin as code, so that a
 * recording tells of it.
 */
#ifndef SOFTPT_CODE_NAMES_JITDUMP_H
#define SOFTPT_CODE_NAMES_JITDUMP_H

#include <stdbool.h>

#include "code/names/perfmap.h"

/* Whether a file of that name is one */
bool jitdump_named(const char *path);

/*
 * Of a damaged file what comes before the damage is read; of one of the other byte order, or that
 * is neither the caller's nor root's, nothing. There are no names without memory.
 */
void jitdump_read(struct perfmap *map, const char *path);

#endif /* SOFTPT_CODE_NAMES_JITDUMP_H */
