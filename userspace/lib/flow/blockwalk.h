/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a stream by our own decoder: records of libsoftpt, and blocks of code */
#ifndef SOFTPT_FLOW_BLOCKWALK_H
#define SOFTPT_FLOW_BLOCKWALK_H

#include "code/image.h"
#include "code/view.h"
#include "flow/step.h"
#include "input/input.h"

struct block_walk;
struct flow_start;

/* As flow_walk_new() and the others (walk.h). */
struct block_walk *block_walk_new(const struct input_stream *stream, const struct input *in,
				  enum flow_level level);
/* The same from a PSB on. Return: NULL without memory */
struct block_walk *block_walk_new_at(const struct input_stream *stream, const struct input *in,
				     enum flow_level level, uint64_t offset);
void block_walk_set_view(struct block_walk *w, struct code_view *view);
void block_walk_set_code(struct block_walk *w, struct code_image *code);
bool block_walk_begin_at(struct block_walk *w, const struct input *in,
			 const struct flow_start *start);
bool block_walk_passed(struct block_walk *w, struct flow_start *start);
uint64_t block_walk_past(const struct block_walk *w);
bool block_walk_begun(const struct block_walk *w);
void block_walk_set_begun(struct block_walk *w, bool begun);
uint64_t block_walk_digest(const struct block_walk *w);
bool block_walk_next(struct block_walk *w, struct flow_step *step);
void block_walk_free(struct block_walk *w);

#endif /* SOFTPT_FLOW_BLOCKWALK_H */
