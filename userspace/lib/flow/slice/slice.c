// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/perf.h>

#include "flow/slice/slice.h"

/* ---- which streams ---- */

static bool *stream_of(const struct input *in, bool *needs, uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if ((uint32_t)in->streams[i].tid == tid)
			return &needs[i];
	return NULL;
}

/* A child is needed: so is its parent. */
static void take_fork(const struct input *in, bool *needs, const struct softpt_perf_record *rec)
{
	struct { uint32_t pid, ppid, tid, ptid; } ids;
	const bool *child;
	bool *parent;

	if (rec->type != PERF_RECORD_FORK || rec->size < sizeof(ids))
		return;
	memcpy(&ids, rec->body, sizeof(ids));
	child = stream_of(in, needs, ids.tid);
	parent = stream_of(in, needs, ids.ptid);
	if (ids.pid != ids.ppid && child && *child && parent)
		*parent = true;
}

/* The newest fork first: its parent may be a child. */
bool *flow_slice_needs(const struct flow_slice *slice, const struct input *in)
{
	struct softpt_perf_record rec;
	bool *needs, *first;
	size_t n = 0;

	if (!slice->tid || !flow_index_fits(in))
		return NULL;
	needs = calloc(in->nr, sizeof(*needs));
	first = needs ? stream_of(in, needs, slice->tid) : NULL;
	if (first)
		*first = true;
	while (first && softpt_perf_record(in->perf, n, &rec))
		n++;
	while (n && softpt_perf_record(in->perf, --n, &rec))
		take_fork(in, needs, &rec);
	if (needs && !memchr(needs, false, in->nr)) {
		free(needs);
		needs = NULL;
	}
	return needs;
}

bool flow_slice_is_past(const struct flow_slice *slice, unsigned int stream)
{
	const struct flow_points *points = slice->index ? &slice->index->points[stream] : NULL;

	return points && points->end && points->end < slice->from;
}

/* ---- from where on ---- */

void flow_slice_begin(const struct flow_slice *slice, const struct input *in,
		      struct flow_lane *l, unsigned int stream)
{
	if (!slice->index)
		return;
	l->points = &slice->index->points[stream];
	l->point = flow_points_before(l->points, slice->from);
	if (l->point && l->point->start.offset &&
	    !flow_walk_begin_at(l->walk, in, &l->point->start))
		l->point = NULL;
}

static bool restore(struct softpt_flow_thread *t, const struct flow_point *point)
{
	const size_t room = (point->frames / FRAMES + 1) * FRAMES;
	struct flow_frame *frame = reallocarray(t->frame, room, sizeof(*frame));

	if (!frame)
		return false;
	memcpy(frame, point->frame, point->frames * sizeof(*frame));
	t->frame = frame;
	t->frames = point->frames;
	t->kept = point->frames;
	t->beyond = point->beyond;
	return true;
}

int flow_slice_come(const struct flow_slice *slice, struct flow_lane *l)
{
	const struct flow_point *point = l->point;

	l->point = NULL;
	if (point && !restore(l->thread, point))
		return -ENOMEM;
	if (point)
		return !!point->start.offset;
	if (l->points && !l->points->n)
		flow_index_add(slice->index, l->points,
			       &(struct flow_start){ .tsc = l->when.tsc }, l->thread);
	return 0;
}

/* ---- what other walks begin at ---- */

void flow_slice_pass(const struct flow_slice *slice, struct flow_lane *l)
{
	const struct softpt_flow_thread *t = l->thread;
	struct flow_start start;

	if (!l->more)
		flow_index_end(slice->index, l->points, l->when.tsc);
	if (flow_walk_passed(l->walk, &start) && l->on && !t->left && !t->lost)
		flow_index_add(slice->index, l->points, &start, t);
}
