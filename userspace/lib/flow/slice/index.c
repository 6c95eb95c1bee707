// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "flow/slice/index.h"

#define GROWN	64	/* points that are allocated at once */

bool flow_index_fits(const struct input *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->streams[i].tid < 0)
			return false;
	return in->nr;
}

struct flow_index *flow_index_new(const struct input *in)
{
	struct flow_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->in = in;
	index->points = calloc(in->nr + 1, sizeof(*index->points));
	if (index->points)
		return index;
	free(index);
	return NULL;
}

static void forget(struct flow_points *points)
{
	while (points->n)
		free(points->point[--points->n].frame);
	free(points->point);
	*points = (struct flow_points){ .point = NULL };
}

void flow_index_free(struct flow_index *index)
{
	unsigned int i;

	if (!index)
		return;
	for (i = 0; i < index->in->nr; i++)
		forget(&index->points[i]);
	free(index->points);
	free(index);
}

static bool grow(struct flow_points *points)
{
	struct flow_point *grown;

	if (points->n % GROWN)
		return true;
	grown = reallocarray(points->point, points->n + GROWN, sizeof(*grown));
	if (grown)
		points->point = grown;
	return grown;
}

/* Of a damaged stream: what lies before a time is not known. */
static void go_back(struct flow_points *points)
{
	forget(points);
	points->back = true;
}

void flow_index_add(struct flow_index *index, struct flow_points *points,
		    const struct flow_start *start, const struct softpt_flow_thread *t)
{
	const struct flow_point *last = points->n ? &points->point[points->n - 1] : NULL;
	struct flow_point point = {
		.start = *start, .frames = t->frames, .beyond = t->beyond,
	};

	if (points->back || (last && start->offset <= last->start.offset))
		return;
	if (last && start->tsc < last->start.tsc) {
		go_back(points);
		return;
	}
	if (last && flow_point_is_near(&last->start, start, t->frames))
		return;
	if (!grow(points))
		return;
	point.frame = calloc(t->frames / FRAMES + 1, FRAMES * sizeof(*point.frame));
	if (!point.frame)
		return;
	if (t->frames)
		memcpy(point.frame, t->frame, t->frames * sizeof(*point.frame));
	points->point[points->n++] = point;
	index->grown = true;
}

void flow_index_end(struct flow_index *index, struct flow_points *points, uint64_t tsc)
{
	if (points->end || points->back)
		return;
	points->end = tsc;
	index->grown = true;
}

const struct flow_point *flow_points_before(const struct flow_points *points, uint64_t tsc)
{
	size_t low = 0, high = points->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (points->point[mid].start.tsc < tsc)
			low = mid + 1;
		else
			high = mid;
	}
	if (low > 1)
		return &points->point[low - 2];
	return points->n && !points->point->start.offset ? points->point : NULL;
}
