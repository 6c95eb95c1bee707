/* SPDX-License-Identifier: BSD-2-Clause */
/* Code and data of files that a process has mapped */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_MAPS_H
#define SOFTPT_TOOL_RECORD_INSIDE_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mapped - a line of /proc/PID/maps
 * @from: where it begins
 * @to: where it ends
 * @offset: of @from, in the file
 * @prot: "r-xp"
 * @inode: of the file
 * @device: of that
 * @path: as the kernel has it; "" or "[...]": there is no file
 */
struct mapped {
	uint64_t from;
	uint64_t to;
	uint64_t offset;
	char prot[5];
	unsigned long inode;
	unsigned long device;
	char path[PATH_MAX];
};

typedef void (*mapped_fn)(void *ctx, const struct mapped *m);

/*
 * Each mapping of the process that is code, shared, or data of a file, as a thread that lives has
 * it. Return: whether it has any mappings
 */
bool mapped_each(pid_t pid, mapped_fn each, void *ctx);

static inline bool mapped_is_code(const struct mapped *m)
{
	return m->prot[2] == 'x' && m->prot[3] == 'p' && m->path[0] == '/';
}

static inline bool mapped_is_data(const struct mapped *m)
{
	return m->prot[1] == 'w' && m->prot[3] == 'p' && m->path[0] == '/';
}

#endif /* SOFTPT_TOOL_RECORD_INSIDE_MAPS_H */
