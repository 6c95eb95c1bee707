/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a stream by libipt, where that is installed: it knows what processors do wrong */
#ifndef SOFTPT_FLOW_IPT_H
#define SOFTPT_FLOW_IPT_H

#include "code/image.h"
#include "flow/step.h"
#include "input/input.h"

struct ipt_walk;

/* As flow_walk_new() and the others (walk.h). */
struct ipt_walk *ipt_walk_new(const struct input_stream *stream, const struct input *in,
			      enum flow_level level);
void ipt_walk_set_code(struct ipt_walk *w, struct code_image *code);
bool ipt_walk_next(struct ipt_walk *w, struct flow_step *step);
void ipt_walk_free(struct ipt_walk *w);

#endif /* SOFTPT_FLOW_IPT_H */
