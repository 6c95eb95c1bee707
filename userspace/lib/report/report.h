/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the functions of a path cost: calls, instructions and times, each summed up by function,
 * thread, module or source file. (Documentation/guides/report.rst)
 */
#ifndef SOFTPT_REPORT_REPORT_H
#define SOFTPT_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "report/call.h"
#include "report/group.h"
#include "report/link.h"
#include "report/span.h"

/* The rows that a report is made of: what softpt_flow_walk() is asked for */
#define REPORT_ROWS \
	(1u << SOFTPT_FLOW_CALL | 1u << SOFTPT_FLOW_JUMP | 1u << SOFTPT_FLOW_RETURN | \
	 1u << SOFTPT_FLOW_BEGIN | 1u << SOFTPT_FLOW_ABORT | 1u << SOFTPT_FLOW_OVERFLOW | \
	 1u << SOFTPT_FLOW_LOST | 1u << SOFTPT_FLOW_ON | 1u << SOFTPT_FLOW_OFF | \
	 1u << SOFTPT_FLOW_END)

/* And for what threads waited, where the recording tells what the kernel did */
#define REPORT_WAITS	(1u << SOFTPT_FLOW_SWITCH_IN)

/* What is kept of who called whom */
enum report_links {
	REPORT_NO_LINKS,
	REPORT_EDGES,		/* pairs of caller and callee */
	REPORT_TREE,		/* paths from the first function of a thread */
};

/**
 * struct report_totals - sums of all threads
 * @instructions: that were executed
 * @threads: that executed any
 * @calls: of functions
 * @incomplete: functions whose call or return was not seen, or that lost something within
 * @traced: time in which threads were traced
 * @parts: of their time, whether they were traced in it or not
 * @deep: calls that were too deep for a stack of their thread; they are part of their caller
 */
struct report_totals {
	uint64_t instructions;
	uint64_t threads;
	uint64_t calls;
	uint64_t incomplete;
	struct report_span traced;
	struct report_parts parts;
	uint64_t deep;
};

struct report;

/**
 * report_new() - a report without anything in it
 * @by: what is a line
 * @links: whether callers are kept
 * @tid: the thread that is looked at, 0: all of them
 *
 * Return: NULL without memory.
 */
struct report *report_new(enum report_by by, enum report_links links, uint32_t tid);

/* Before the first row: functions are to have the line of source that they begin with */
void report_want_lines(struct report *r);

/* Before the first row: @each gets every call when it ends, those that have not ended at the end */
void report_each_call(struct report *r, report_call_fn each, void *ctx);

/* Take the next row of a walk. Return: false without memory: the walk may end */
bool report_take(struct report *r, const struct softpt_flow_row *row);

/* Before the walk is closed: functions that have not returned are left. Return: 0 or -ENOMEM */
int report_finish(struct report *r);

/* The call that a thread is in, as of its last row. Return: its number, 0: none */
uint64_t report_call_now(struct report *r, const struct softpt_flow_thread *thread);

const struct report_totals *report_totals(const struct report *r);
/* What lines are of, in the order in which they came; 0 is what no function is known of */
const struct report_group *report_group(const struct report *r, size_t i);
size_t report_groups(const struct report *r);
/* Who called whom, or the nodes of the tree: each is behind the one that called it */
const struct report_link *report_link(const struct report *r, size_t i);
size_t report_links(const struct report *r);
void report_free(struct report *r);

#endif /* SOFTPT_REPORT_REPORT_H */
