/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are mapped, and where the functions are in them */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_FILES_H
#define SOFTPT_TOOL_RECORD_INSIDE_FILES_H

#include "code/names/named.h"
#include "code/dwarf/sites.h"
#include "maps.h"
#include "names.h"

/* Offsets in a file, and the code that is there */
struct inside_places {
	struct named_list list;
	uint8_t (*code)[8];
};

/* Places with one role: functions, and places within such, with their code */
struct inside_doors {
	struct inside_places functions;
	struct site_list sites;
	uint8_t (*site_code)[8];
};

/**
 * struct inside_file - a file that some of the functions may be in
 * @path: as /proc/PID/maps has it
 * @inode: of the file
 * @device: of that
 * @doors: where a thread is waited for, by enum softpt_xl_role
 * @calls: system calls that the runtime has to know of
 * @loaded: others, where it has loaded the program itself
 * @odd: there may be others
 * @library: it has those of a C library
 * @next: another
 */
struct inside_file {
	char *path;
	unsigned long inode;
	unsigned long device;
	struct inside_doors doors[INSIDE_ROLES];
	struct inside_places calls;
	struct inside_places loaded;
	bool odd;
	bool library;
	struct inside_file *next;
};

/* What process @pid has mapped. Return: NULL: it can't be read, or kept */
const struct inside_file *inside_file(struct inside *in, pid_t pid, const struct mapped *m);
/* The same of one that was looked at for its code. Return: NULL: it was not */
const struct inside_file *inside_file_seen(const struct inside *in, const struct mapped *m);
void inside_free_files(struct inside *in);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_FILES_H */
