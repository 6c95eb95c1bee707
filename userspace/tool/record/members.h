/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of a translated program, and how far the records of their threads are read */
#ifndef SOFTPT_TOOL_RECORD_MEMBERS_H
#define SOFTPT_TOOL_RECORD_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "packet/history.h"
#include "source/runs.h"
#include "source/share.h"
#include "source/translate.h"
#include "source/watch.h"

#define MEMBERS_HELD	12	/* chunks of a thread that are held: the program fills the others */

/**
 * struct place - what is known of a thread between two of its records
 * @tsc: the last that is known
 * @tid: the thread; 0: none
 * @cycles: instructions so far, on the model clock
 * @in_kernel: it is in a system call, or a signal is on its way
 */
struct place {
	uint64_t tsc;
	uint64_t cycles;
	pid_t tid;
	bool in_kernel;
};

/**
 * struct slot - a slot for a thread
 * @chunk: where the next record is
 * @at: and at which byte of it
 * @unit: what its records become
 * @ctx: of the unit's output
 * @history: packets that are not written yet (packet/history.h)
 * @here: the thread at the next record
 * @there: the thread at the first of those that are taken, where @joins
 * @visit: the same for triggers of addresses
 * @last: the record before, for xl_tally_records()
 * @joins: records of a thread that was there before come next, and it has no unit yet
 * @oldest: the first chunk that is held; @chunk: none is
 * @from: which byte of that is the first that still means something
 * @begin: the thread at the begin of each chunk that is held
 * @ends: what is taken now is the last that was held
 */
struct slot {
	uint32_t chunk;
	uint32_t at;
	struct xl_unit unit;
	void *ctx;
	struct history history;
	struct place here;
	struct place there;
	struct xl_visit visit;
	uint32_t last;
	bool joins;
	uint32_t oldest;
	uint32_t from;
	struct place begin[SOFTPT_XL_CHUNKS];
	bool ends;
};

/* A process of the program */
struct member {
	uint32_t area;
	uint32_t order;		/* in which the processes began */
	pid_t pid;
	uint64_t map;		/* where it sees the shared file */
	int gone;		/* readable when it is; -1: it is */
	struct xl_runs runs;
	uint32_t flushes;	/* of the process, when the records that are held were made */
	struct xl_tally *tally;	/* of who counts; dropped with it */
	struct xl_watch watch;	/* of a flight recorder, and what it waits for */
	struct softpt_trigger trigger[SOFTPT_TRIGGERS];
	struct slot *slots[SOFTPT_XL_THREADS];
};

enum members_do {
	MEMBERS_TAKE,		/* records are taken as they come */
	MEMBERS_HOLD,		/* the newest are held, until members_release() */
	MEMBERS_DROP,		/* they are thrown away */
};

typedef const uint32_t *members_read(void *ctx, struct member *m, struct slot *s,
				     const uint32_t *from, const uint32_t *to);

/**
 * struct members - all processes
 * @share: the file that they share with this process
 * @cfg: of the units
 * @member: those that there are, in the order in which they began
 * @nr: how many
 * @what: what is done with records
 * @stop: nothing is read for now: @take or @skim has something to be looked at
 * @err: latched; nothing is read any more
 * @take: records of a thread, in memory that no program writes to. Returns the first that it
 *	leaves for later, and sets @stop, or the end of them
 * @skim: the same of records that are held, as they come: @slot->here is where the first of them is
 * @end: a process is gone, and with it a thread: its unit ends
 * @gone: a process is gone, and with it all threads; or NULL
 * @asked: a process asks where functions are, and waits for that; or NULL
 * @ctx: for these
 * @records: what @take gets
 */
struct members {
	struct xl_share share;
	const struct softpt_config *cfg;
	struct member **member;
	unsigned int nr;
	enum members_do what;
	bool stop;
	int err;
	members_read *skim;
	members_read *take;
	void (*end)(void *ctx, struct slot *s);
	void (*gone)(void *ctx, struct member *m);
	void (*asked)(void *ctx, const struct member *m, uint32_t question);
	void *ctx;
	uint32_t records[SOFTPT_XL_CHUNK / sizeof(uint32_t)];
};

/* All threads of all processes. Return: whether there was anything new */
bool members_look(struct members *all);

/* What is held is taken, and from there on all as it comes. */
void members_release(struct members *all);

/* From now on the newest are held. No thread has a unit. */
void members_hold(struct members *all);

/* Each thread. Return: what @each says, until that is not 0 */
int members_each_slot(struct members *all, int (*each)(struct slot *s, void *arg), void *arg);
/* The unit of each thread. Return: what @each says, until that is not 0 */
int members_each(struct members *all, int (*each)(struct xl_unit *u, void *arg), void *arg);

/* All of them end. */
void members_free(struct members *all);

#endif /* SOFTPT_TOOL_RECORD_MEMBERS_H */
