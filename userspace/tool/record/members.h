/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of a translated program, and how far the records of their threads are read */
#ifndef SOFTPT_TOOL_RECORD_MEMBERS_H
#define SOFTPT_TOOL_RECORD_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "source/runs.h"
#include "source/share.h"
#include "source/translate.h"

/* A slot for a thread: how far its records are read */
struct slot {
	uint32_t chunk;
	uint32_t at;
	struct xl_unit unit;
	void *ctx;		/* of the unit's output */
};

/* A process of the program */
struct member {
	uint32_t area;
	pid_t pid;
	uint64_t map;		/* where it sees the shared file */
	int gone;		/* readable when it is; -1: it is */
	struct xl_runs runs;
	struct slot *slots[SOFTPT_XL_THREADS];
};

/**
 * struct members - all processes
 * @share: the file that they share with this process
 * @cfg: of the units
 * @member: those that there are
 * @nr: how many
 * @err: latched; nothing is read any more
 * @take: records of a thread, in memory that no program writes to
 * @end: a process is gone, and with it a thread: its unit ends
 * @ctx: for @take and @end
 * @records: what @take gets
 */
struct members {
	struct xl_share share;
	const struct softpt_config *cfg;
	struct member **member;
	unsigned int nr;
	int err;
	void (*take)(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		     const uint32_t *to);
	void (*end)(void *ctx, struct slot *s);
	void *ctx;
	uint32_t records[SOFTPT_XL_CHUNK / sizeof(uint32_t)];
};

/* All threads of all processes. Return: whether there was anything new */
bool members_look(struct members *all);

/* The unit of each thread. Return: what @each says, until that is not 0 */
int members_each(struct members *all, int (*each)(struct xl_unit *u, void *arg), void *arg);

/* All of them end. */
void members_free(struct members *all);

#endif /* SOFTPT_TOOL_RECORD_MEMBERS_H */
