/* SPDX-License-Identifier: BSD-2-Clause */
/* Places in a recording that a walk can begin at, with the calls of the thread there */
#ifndef SOFTPT_FLOW_SLICE_INDEX_H
#define SOFTPT_FLOW_SLICE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/packets.h"
#include "flow/process.h"
#include "input/input.h"

#define FLOW_POINT_BYTES	(128 << 10)	/* of a stream, between two points at least */
#define FLOW_FRAME_BYTES	512		/* and of each frame there: 8 times its own */

/**
 * struct flow_point - a walk has come here
 * @start: the place; its offset is 0 only of the first: there its thread was traced first
 * @frame: functions of the thread that have not returned, with room for whole FRAMES
 * @frames: how many
 * @beyond: calls that @frame has no room for
 */
struct flow_point {
	struct flow_start start;
	struct flow_frame *frame;
	unsigned int frames;
	unsigned int beyond;
};

/**
 * struct flow_points - the points of a stream, as far as walks have come
 * @point: in the order of offsets, and of times
 * @n: how many
 * @end: TSC of the last step of the stream; 0: no walk came there
 * @back: time has gone back: there are no points, and there is no @end
 */
struct flow_points {
	struct flow_point *point;
	size_t n;
	uint64_t end;
	bool back;
};

/**
 * struct flow_index - of a recording that has a stream for each thread
 * @in: the recording
 * @points: of each stream, as many as @in has
 * @grown: there are more than were read from a file
 */
struct flow_index {
	const struct input *in;
	struct flow_points *points;
	bool grown;
};

/**
 * struct flow_slice - the part of a recording that is asked for
 * @tid: rows of this thread: those of others may be left out; 0: of all
 * @from: rows from this TSC on: those before may be left out; 0: all
 * @index: NULL, or where the walk begins for @from, and what keeps what it finds; @executed of rows
 *	is counted from there on. flow_index_fits(); not where SOFTPT_FLOW_COUNT is wanted
 */
struct flow_slice {
	uint32_t tid;
	uint64_t from;
	struct flow_index *index;
};

/* Whether a recording has a stream for each thread */
bool flow_index_fits(const struct input *in);
/* An index without points. Return: NULL without memory */
struct flow_index *flow_index_new(const struct input *in);
void flow_index_free(struct flow_index *index);

/* Whether a point of so many frames comes so soon behind another that the index would be large */
static inline bool flow_point_is_near(const struct flow_start *last, const struct flow_start *start,
				      uint64_t frames)
{
	const uint64_t bytes = frames * FLOW_FRAME_BYTES;

	return start->offset - last->offset < (bytes > FLOW_POINT_BYTES ? bytes : FLOW_POINT_BYTES);
}

/* The thread has come to a place. It is left out without memory, or too near to the one before. */
void flow_index_add(struct flow_index *index, struct flow_points *points,
		    const struct flow_start *start, const struct softpt_flow_thread *t);
/* The stream has no step behind @tsc. */
void flow_index_end(struct flow_index *index, struct flow_points *points, uint64_t tsc);

/*
 * Where to begin for what is from @tsc on. The point before the last one that lies before it: what
 * is between them settles times. Return: NULL: at the begin of the stream
 */
const struct flow_point *flow_points_before(const struct flow_points *points, uint64_t tsc);

#endif /* SOFTPT_FLOW_SLICE_INDEX_H */
