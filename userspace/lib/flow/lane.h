/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk through the traces of all CPUs, and the rows that it makes */
#ifndef SOFTPT_FLOW_LANE_H
#define SOFTPT_FLOW_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "flow/kernel/events.h"
#include "flow/process.h"
#include "flow/stride/stride.h"
#include "flow/walk.h"

struct flow_ahead;
struct flow_crew;
struct flow_point;
struct flow_points;

/* The trace of a CPU, or of a thread, and its next step; of the kernel, its next event */
struct flow_lane {
	const struct input_stream *stream;
	struct flow_walk *walk;		/* or */
	struct flow_ahead *ahead;	/* NULL: nobody else walks @walk's stream */
	struct kernel_events *kernel;
	struct kernel_event event;
	struct flow_step step;
	struct softpt_flow_time when;
	struct softpt_flow_time before;	/* the step before that ended a block */
	struct softpt_flow_thread *thread;
	bool on;		/* @thread is traced here */
	bool more;
	struct flow_points *points;	/* of the stream; NULL: none are kept */
	const struct flow_point *point;	/* where the walk begins; NULL behind its first step */
};

struct flow_path;

/* All of them, and who gets the rows */
struct flow_lanes {
	struct flow_path *path;
	uint32_t wanted;
	softpt_flow_row_fn row;
	flow_stride_fn stride;	/* NULL: rows of it are wanted */
	void *context;
	struct softpt_flow_totals *totals;
	struct flow_processes *processes;
	struct flow_lane *lane;
	unsigned int nr;
	bool kernel;		/* there are lanes of what the kernel did */
	struct flow_step first;	/* that lost the way */
	struct flow_crew *crew;	/* NULL: one thread does all */
	bool *needs;		/* by stream; NULL: all */
	bool enough;
	bool no_memory;
};

static inline bool flow_wants(const struct flow_lanes *w, enum softpt_flow_event event)
{
	return w->wanted & 1u << event;
}

static inline unsigned int flow_depth(const struct softpt_flow_thread *t)
{
	return t->frames ? t->frames - 1 : 0;
}

/* Whether @a, at @tsc, is before @b. Of lanes at the same time the first comes first. */
static inline bool flow_is_before(const struct flow_lane *a, uint64_t tsc,
				  const struct flow_lane *b)
{
	return tsc != b->when.tsc ? tsc < b->when.tsc : a < b;
}

/* Tell the row, if it is wanted. What it leaves out is of the lane. */
static inline void flow_put_row(struct flow_lanes *w, const struct flow_lane *l,
				struct softpt_flow_row *row)
{
	if (!flow_wants(w, row->event) || w->enough)
		return;
	row->cpu = l->stream->cpu;
	row->thread = l->thread;
	row->pid = l->thread->pid;
	row->tid = l->thread->tid;
	row->comm = l->thread->comm;
	row->error = l->step.error;
	row->executed = l->thread->executed;
	if (row->event != SOFTPT_FLOW_ABORT && row->event != SOFTPT_FLOW_LOST)
		row->undone |= l->step.undone && row->event != SOFTPT_FLOW_BLOCK;
	if (!row->when.tsc)
		row->when = l->when;
	w->enough = !w->row(w->context, row);
}

/* The function that was called last, NULL: none is known */
static inline struct flow_frame *flow_top(const struct softpt_flow_thread *t)
{
	return t->frames ? &t->frame[t->frames - 1] : NULL;
}

#endif /* SOFTPT_FLOW_LANE_H */
