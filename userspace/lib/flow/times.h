/* SPDX-License-Identifier: BSD-2-Clause */
/* When the steps of a path happened */
#ifndef SOFTPT_FLOW_TIMES_H
#define SOFTPT_FLOW_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/decoder.h>
#include <softpt/flow.h>

#include "flow/step.h"
#include "input/input.h"

/* A cursor over the records of libsoftpt's decoder */
struct flow_times {
	struct softpt_decoder *d;
	struct softpt_record last;
	struct softpt_record next;
	struct softpt_record psb;	/* the newest that was passed */
	bool more;		/* @next is valid */
};

/* Return: 0 or -ENOMEM */
int flow_times_open(struct flow_times *t, const struct input *in,
		    const struct input_stream *stream);
/*
 * When a step happened; steps come in the order of the stream. @sync: offset in the stream of the
 * PSB that was passed last
 */
void flow_times_of(struct flow_times *t, const struct flow_step *step, uint64_t sync,
		   struct softpt_flow_time *when);
void flow_times_close(struct flow_times *t);

#endif /* SOFTPT_FLOW_TIMES_H */
