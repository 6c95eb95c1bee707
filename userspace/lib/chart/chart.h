/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls as slices of time, thread by thread, for pictures. A recording has more calls than a
 * picture has room for: what is shorter than a limit, and begins soon behind its neighbour, is
 * merged with it.
 */
#ifndef SOFTPT_CHART_CHART_H
#define SOFTPT_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "report/group.h"
#include "report/index.h"

/* The rows that a chart is made of */
#define CHART_ROWS \
	(1u << SOFTPT_FLOW_CALL | 1u << SOFTPT_FLOW_JUMP | 1u << SOFTPT_FLOW_RETURN | \
	 1u << SOFTPT_FLOW_BEGIN | 1u << SOFTPT_FLOW_KERNEL | 1u << SOFTPT_FLOW_ABORT | \
	 1u << SOFTPT_FLOW_OVERFLOW | 1u << SOFTPT_FLOW_LOST | 1u << SOFTPT_FLOW_PTW | \
	 1u << SOFTPT_FLOW_END | 1u << SOFTPT_FLOW_SYSCALL | 1u << SOFTPT_FLOW_SWITCH_OUT | \
	 1u << SOFTPT_FLOW_SWITCH_IN | 1u << SOFTPT_FLOW_FAULT | 1u << SOFTPT_FLOW_IRQ)

#define CHART_KERNEL	UINT32_MAX		/* a slice in the kernel */
#define CHART_MERGED	(UINT32_MAX - 1)	/* several slices, of any functions */
#define CHART_SYSCALL	0xf0000000u		/* and the number of a system call */
#define CHART_SYSCALLS	0x0f000000u		/* that are told apart */

/**
 * struct chart_slice - a call, or several in a row
 * @begin: TSC
 * @end: TSC
 * @off: ticks that begin and end may be off, the larger of both; UINT64_MAX: nothing bounds them
 * @what: number of the function in @groups, a system call, CHART_KERNEL or CHART_MERGED
 * @lane: number of the thread
 * @depth: of calls
 * @calls: how many calls it is of
 * @instructions: from the call to the return
 */
struct chart_slice {
	uint64_t begin;
	uint64_t end;
	uint64_t off;
	uint32_t what;
	uint32_t lane;
	uint32_t depth;
	uint32_t calls;
	uint64_t instructions;
};

/**
 * struct chart_wait - a thread is without a CPU
 * @begin: TSC
 * @end: TSC
 * @off: ticks that both may be off, as of a slice
 * @lane: number of the thread
 * @why: enum softpt_left
 */
struct chart_wait {
	uint64_t begin;
	uint64_t end;
	uint64_t off;
	uint32_t lane;
	uint32_t why;
};

/* Something at a moment: event is SOFTPT_FLOW_LOST, OVERFLOW, ABORT, PTW, FAULT or IRQ */
struct chart_mark {
	uint64_t at;
	uint64_t value;		/* of the row */
	uint32_t lane;
	uint32_t event;
};

/**
 * struct chart_lane - a thread
 * @comm: its name; an exec gives a new one
 * @pid: its process
 * @tid: its number
 * @executed: instructions, at its last row
 * @call: the system call that it is in: number, plus 1; 0: in none, or that is not known
 * @why: it left its CPU the last time
 * @merged: short slices of functions that nobody called, which are not kept yet
 * @frame: functions that have not returned
 * @frames: how many
 * @room: for so many
 */
struct chart_lane {
	char comm[32];
	uint64_t executed;
	uint32_t call;
	uint32_t why;
	uint32_t pid;
	uint32_t tid;
	struct chart_slice merged;
	struct chart_frame *frame;
	uint32_t frames;
	uint32_t room;
};

/**
 * struct chart - what rows become
 * @shortest: ticks below which a slice is merged; UINT64_MAX: lengths alone are counted
 * @length: how many calls have each length: the power of two, and quarters of it
 * @groups: functions
 * @lane: threads, in the order of their first rows
 * @lanes: how many
 * @by_thread: to @lane
 * @slice: in the order of their ends
 * @slices: how many
 * @slices_room: for so many
 * @mark: in the order of time
 * @marks: how many
 * @marks_max: no more of them are kept
 * @marks_left: how many were not
 * @wait: in the order of their ends; @marks_max of them at most
 * @waits: how many
 * @waits_left: how many were not kept
 * @begin: TSC of the first row
 * @end: TSC of the last
 * @calls: functions that were entered
 * @failed: there was no memory
 */
struct chart {
	uint64_t shortest;
	uint64_t length[64 * 4];
	struct report_groups groups;
	struct chart_lane *lane;
	uint32_t lanes;
	struct report_index by_thread;
	struct chart_slice *slice;
	size_t slices;
	size_t slices_room;
	struct chart_mark *mark;
	size_t marks;
	size_t marks_max;
	uint64_t marks_left;
	struct chart_wait *wait;
	size_t waits;
	uint64_t waits_left;
	uint64_t begin;
	uint64_t end;
	uint64_t calls;
	bool failed;
};

/* Return: 0 or -ENOMEM; chart_free() in both cases */
int chart_begin(struct chart *c, uint64_t shortest, size_t marks_max);

/* Take the next row of a walk, of CHART_ROWS. Return: false without memory: the walk may end */
bool chart_take(struct chart *c, const struct softpt_flow_row *row);

/* Behind the last row: what has not returned ends there. Return: 0 or -ENOMEM */
int chart_finish(struct chart *c);

/* The shortest length of which, with all longer ones, there are @most calls or fewer; 0: all are */
uint64_t chart_shortest(const struct chart *c, uint64_t most);
void chart_free(struct chart *c);

#endif /* SOFTPT_CHART_CHART_H */
