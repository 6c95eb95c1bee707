/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a stream */
#ifndef SOFTPT_FLOW_WALK_H
#define SOFTPT_FLOW_WALK_H

#include "code/image.h"
#include "code/view.h"
#include "flow/step.h"
#include "input/input.h"

struct flow_walk;
struct flow_start;

/* @counts: what is executed is to be counted. Return: NULL without memory */
struct flow_walk *flow_walk_new(const struct input_stream *stream, const struct input *in,
				enum flow_level level, bool counts);
/*
 * Before the first step: begin at a PSB that flow_walk_passed() told of a walk of the same stream.
 * Return: false: it begins where the stream does, as libipt does, or for want of memory
 */
bool flow_walk_begin_at(struct flow_walk *w, const struct input *in,
			const struct flow_start *start);
/* Whether a PSB came since the last call that a walk can begin at. @start: the newest */
bool flow_walk_passed(struct flow_walk *w, struct flow_start *start);
/* Whether the code counts it; else it is to be counted step by step */
bool flow_walk_counts(const struct flow_walk *w);
/*
 * A walk that begins at a PSB amid the stream, of packets of ours, and finds the program there by
 * itself. Return: NULL without memory
 */
struct flow_walk *flow_walk_new_at(const struct input_stream *stream, const struct input *in,
				   enum flow_level level, uint64_t offset);
/* Whether flow_walk_new_at() can make another one of the same stream */
bool flow_walk_is_ours(const struct flow_walk *w);
/* Offset, plus 1, of the packet that it has come past */
uint64_t flow_walk_past(const struct flow_walk *w);
/* Whether it has found a place to begin at: the next one is flow_step.resumed */
bool flow_walk_begun(const struct flow_walk *w);
void flow_walk_set_begun(struct flow_walk *w, bool begun);
/*
 * Of two walks of a stream, each behind a call, a return or an end: equal: so is all that follows,
 * as long as neither is at a place of its own
 */
uint64_t flow_walk_digest(const struct flow_walk *w);
/* Walk code as one of several threads does */
void flow_walk_set_view(struct flow_walk *w, struct code_view *view);
/* Whose code runs from now on; must stay while it is used */
void flow_walk_set_code(struct flow_walk *w, struct code_image *code);
/* Return: false at the end of the stream */
bool flow_walk_next(struct flow_walk *w, struct flow_step *step);
/* Others walk, which may take what the step has of code: have it to oneself. */
void flow_walk_keep(struct flow_walk *w);
/* Code is another now: a stride ends behind the branch of it that is told next. */
void flow_walk_cut(struct flow_walk *w);
void flow_walk_free(struct flow_walk *w);

#endif /* SOFTPT_FLOW_WALK_H */
