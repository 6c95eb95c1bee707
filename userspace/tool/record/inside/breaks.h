/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints in a process that executes its own code (userspace/translate/native.h) */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_BREAKS_H
#define SOFTPT_TOOL_RECORD_INSIDE_BREAKS_H

#include <softpt/translate.h>

#include "files.h"
#include "maps.h"

/* Return: NULL, or why breakpoints would not be enough */
const char *breaks_refusal(struct inside *in, pid_t pid);

/**
 * struct breaks - those of a process
 * @mem: its memory; -1: nothing can be put there
 * @list: what the runtime is told: softpt_xl_break()
 * @nr: how many
 */
struct breaks {
	int mem;
	uint64_t *list;
	uint32_t nr;
};

/* Begin and end: whatever @b has, there is no error but @mem */
void breaks_open(struct breaks *b, pid_t pid, struct softpt_xl_process *process);
void breaks_close(struct breaks *b);
/* Those of a file that is mapped so. Return: false: they can't be put there, or are too many */
bool breaks_put(struct breaks *b, const struct mapped *m, const struct inside_file *f);
/* Take them away. */
void breaks_take(const struct breaks *b, const struct mapped *m, const struct inside_file *f);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_BREAKS_H */
