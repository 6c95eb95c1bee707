// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which decoder finds the path: our own for streams of ours; libipt, where it is installed, for
 * those of a processor, since it mends what processors do wrong.
 */
#include <stdlib.h>

#include "flow/blockwalk.h"
#include "flow/packets.h"
#include "flow/stride/walk.h"
#include "flow/walk.h"

#ifdef HAVE_LIBIPT
#include "flow/ipt.h"
#else
#define ipt_walk_new(stream, in, level) ((void)(level), (struct ipt_walk *)NULL)
#define ipt_walk_set_code(w, code) ((void)(w), (void)(code))
#define ipt_walk_next(w, step) ((void)(w), (void)(step), false)
#define ipt_walk_free(w) ((void)(w))
#endif

struct flow_walk {
	struct block_walk *ours;
	struct ipt_walk *ipt;
};

static bool has_ipt(void)
{
#ifdef HAVE_LIBIPT
	return true;
#else
	return false;
#endif
}

struct flow_walk *flow_walk_new(const struct input_stream *stream, const struct input *in,
				enum flow_level level, bool counts)
{
	struct flow_walk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (has_ipt() && !flow_is_ours(stream->buf, stream->len))
		w->ipt = ipt_walk_new(stream, in, counts && level < FLOW_BRANCHES ? FLOW_BRANCHES :
										  level);
	else
		w->ours = block_walk_new(stream, in, level);
	if (w->ours || w->ipt)
		return w;
	free(w);
	return NULL;
}

struct flow_walk *flow_walk_new_at(const struct input_stream *stream, const struct input *in,
				   enum flow_level level, uint64_t offset)
{
	struct flow_walk *w = calloc(1, sizeof(*w));

	if (w)
		w->ours = block_walk_new_at(stream, in, level, offset);
	if (w && w->ours)
		return w;
	free(w);
	return NULL;
}

bool flow_walk_is_ours(const struct flow_walk *w)
{
	return w->ours;
}

uint64_t flow_walk_past(const struct flow_walk *w)
{
	return block_walk_past(w->ours);
}

bool flow_walk_begun(const struct flow_walk *w)
{
	return block_walk_begun(w->ours);
}

void flow_walk_set_begun(struct flow_walk *w, bool begun)
{
	block_walk_set_begun(w->ours, begun);
}

uint64_t flow_walk_digest(const struct flow_walk *w)
{
	return block_walk_digest(w->ours);
}

void flow_walk_set_view(struct flow_walk *w, struct code_view *view)
{
	block_walk_set_view(w->ours, view);
}

bool flow_walk_begin_at(struct flow_walk *w, const struct input *in,
			const struct flow_start *start)
{
	return w->ours && block_walk_begin_at(w->ours, in, start);
}

bool flow_walk_passed(struct flow_walk *w, struct flow_start *start)
{
	return w->ours && block_walk_passed(w->ours, start);
}

bool flow_walk_counts(const struct flow_walk *w)
{
	return w->ours;
}

void flow_walk_set_code(struct flow_walk *w, struct code_image *code)
{
	if (w->ours)
		block_walk_set_code(w->ours, code);
	else
		ipt_walk_set_code(w->ipt, code);
}

bool flow_walk_next(struct flow_walk *w, struct flow_step *step)
{
	return w->ours ? block_walk_next(w->ours, step) : ipt_walk_next(w->ipt, step);
}

void flow_walk_keep(struct flow_walk *w)
{
	if (w->ours)
		block_walk_keep(w->ours);
}

void flow_walk_cut(struct flow_walk *w)
{
	if (w->ours)
		block_walk_cut(w->ours);
}

void flow_walk_free(struct flow_walk *w)
{
	if (!w)
		return;
	block_walk_free(w->ours);
	ipt_walk_free(w->ipt);
	free(w);
}
