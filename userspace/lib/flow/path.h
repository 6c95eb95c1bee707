/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of all threads, in the order of time */
#ifndef SOFTPT_FLOW_PATH_H
#define SOFTPT_FLOW_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "flow/process.h"
#include "flow/times.h"
#include "flow/walk.h"
#include "input/input.h"

/* What a row tells, and its name */
#define FLOW_ROWS(X) \
	X(CALL, "call") \
	X(JUMP, "jump")			/* into a function: the one before is left */ \
	X(RETURN, "return")		/* @since: the call */ \
	X(BEGIN, "begin")		/* of a thread or a signal handler */ \
	X(KERNEL, "kernel")		/* back from there; @since: away */ \
	X(INTERRUPT, "interrupt") \
	X(BRANCH, "branch") \
	X(BLOCK, "block") \
	X(INSN, "insn") \
	X(PTW, "ptw")			/* PTWRITE at @ip, 0: unknown */ \
	X(ABORT, "abort")		/* of a transaction: what it did has not happened */ \
	X(OVERFLOW, "overflow") \
	X(LOST, "lost") \
	X(ON, "on")			/* the thread is traced from here on */ \
	X(OFF, "off")			/* and no longer */ \
	X(TRIGGER, "trigger")		/* @step.value: which; --relative alone has it */

enum flow_event {
#define X(id, name) FLOW_ROW_##id,
	FLOW_ROWS(X)
#undef X
	FLOW_ROW_NR
};

/**
 * struct flow_row - something that a view shows
 * @event: what it tells
 * @ip: where control went; of a block or an instruction: its address
 * @from: of a branch
 * @depth: of calls
 * @instructions: of a block
 * @bytes: of a block
 * @cpu: of the stream
 * @when: when that was
 * @since: when it had begun, where it has a length
 * @thread: whose it is
 * @step: what it was made from
 */
struct flow_row {
	enum flow_event event;
	uint64_t ip;
	uint64_t from;
	unsigned int depth;
	uint64_t instructions;
	uint64_t bytes;
	int cpu;
	struct flow_time when;
	struct flow_time since;
	const struct flow_thread *thread;
	const struct flow_step *step;
};

struct flow_totals {
	uint64_t instructions;
	uint64_t branches;
	uint64_t calls;
	uint64_t undone;	/* of @instructions, in transactions that were aborted */
	uint64_t lost;
	uint64_t unknown;	/* of @lost: what could not be followed */
	uint64_t widest;	/* bound in ticks, of steps that have a packet */
};

/**
 * struct flow_path - what to walk, and who is told
 * @in: the trace
 * @root: put before the names of mapped files
 * @wanted: bits of enum flow_event
 * @row: return false to end the walk
 * @context: for @row
 * @errors: told of code that can't be read, and of the first place that can't be followed
 * @many: there are several threads; set before the first row
 * @totals: what was walked
 */
struct flow_path {
	const struct input *in;
	const char *root;
	uint32_t wanted;
	bool (*row)(void *context, const struct flow_row *row);
	void *context;
	const struct error_sink *errors;
	bool many;
	struct flow_totals totals;
};

/**
 * flow_path_walk() - walk all streams, in the order of time
 * @path: what to walk
 *
 * Return: 0; -EILSEQ: something can't be followed, and the rest was walked; -EINVAL: no program's
 * path is in the trace; -EOPNOTSUPP: built without libipt; -ENOMEM. @path->errors was told of each.
 */
int flow_path_walk(struct flow_path *path);

#endif /* SOFTPT_FLOW_PATH_H */
