/* SPDX-License-Identifier: BSD-2-Clause */
/* What costs are summed up by: functions, threads, modules or source files */
#ifndef SOFTPT_REPORT_GROUP_H
#define SOFTPT_REPORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "code/symbols.h"
#include "flow/process.h"
#include "report/index.h"
#include "report/parts.h"
#include "report/span.h"
#include "report/spread.h"

enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_THREAD,
	REPORT_BY_MODULE,
	REPORT_BY_FILE,
	REPORT_BY_NR
};

#define REPORT_UNKNOWN	0	/* the group of what no function is known of */

/**
 * struct report_group - the costs of a function, a thread, a module or a source file
 * @name: of the function, NULL: it has none; of the thread, the module or the file
 * @label: of the function: @name as people write it
 * @module: of the function, NULL: no file is mapped there
 * @path: of the function: that file, with its folder
 * @address: of the function, in its module as it was linked
 * @source: file of the line that the function begins with; NULL: not known, or not asked for
 * @line: in @source
 * @pid: of the thread
 * @tid: of the thread
 * @calls: how often its functions were entered
 * @incomplete: calls whose begin or end was not seen, or that have lost something within
 * @self: instructions of its own
 * @total: instructions of the functions that it called, too
 * @self_time: as @self
 * @total_time: as @total, from the calls to the returns: time that was not traced is part of it
 * @parts: of @total_time
 * @insns: instructions of each complete call
 * @ticks: durations of each complete call
 * @low: lower bounds of these
 * @high: upper bounds of these, UINT64_MAX: unknown
 */
struct report_group {
	char *name;
	char *label;
	char *module;
	char *path;
	uint64_t address;
	char *source;
	int line;
	uint32_t pid;
	uint32_t tid;
	uint64_t calls;
	uint64_t incomplete;
	uint64_t self;
	uint64_t total;
	struct report_span self_time;
	struct report_span total_time;
	struct report_parts parts;
	struct spread insns;
	struct spread ticks;
	struct spread low;
	struct spread high;
};

struct report_groups {
	enum report_by by;
	bool lines;		/* functions have a line of source */
	struct report_group *group;
	uint32_t n;
	uint32_t room;
	struct report_index by_ip;	/* of a process: to @answer */
	struct report_index by_place;	/* or by the hash of a name: to @group */
	struct group_answer *answer;
	uint32_t answers;
};

#define REPORT_NAME_MAX	512	/* longer names are cut off */

/*
 * The name of a function as a reader wants it, or its module and address.
 * Return: @buf, of REPORT_NAME_MAX bytes
 */
const char *report_function_name(const struct report_group *g, char *buf);
/* What a function is called in other builds, too; NULL: it has no name */
const char *report_function_key(const struct report_group *g);

/* Return: 0 or -ENOMEM */
int groups_begin(struct report_groups *g, enum report_by by);

/* The group of a function that a thread enters. Return: its number, or INDEX_NEW without memory */
uint32_t groups_find(struct report_groups *g, const struct softpt_flow_thread *thread, uint64_t ip);
void groups_free(struct report_groups *g);

#endif /* SOFTPT_REPORT_GROUP_H */
