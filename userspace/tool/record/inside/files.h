/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are mapped, and where the functions are in them */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_FILES_H
#define SOFTPT_TOOL_RECORD_INSIDE_FILES_H

#include "code/names/named.h"
#include "names.h"

/**
 * struct inside_file - a file that some of the functions may be in
 * @path: as /proc/PID/maps has it
 * @list: where they are
 * @was: the first byte of each
 * @calls: system calls that the runtime has to know of
 * @next: another
 */
struct inside_file {
	char *path;
	struct named_list list;
	uint8_t *was;
	struct named_list calls;
	struct inside_file *next;
};

/* Files with more of these are C libraries. */
#define INSIDE_CALLS	10

/* A file that is mapped. Return: NULL: none that can be kept */
const struct inside_file *inside_file(struct inside *in, const char *path);
void inside_free_files(struct inside *in);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_FILES_H */
