/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel did on a CPU, and on whose behalf: a trace of the module's source "kernel" */
#ifndef SOFTPT_FLOW_KERNEL_EVENTS_H
#define SOFTPT_FLOW_KERNEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "input/input.h"

/**
 * struct kernel_event - something that a thread met
 * @event: SOFTPT_FLOW_SWITCH_OUT, _SWITCH_IN, _FAULT or _IRQ
 * @tid: the thread
 * @value: why it left the CPU, enum softpt_left; the address of a fault; the handler of an
 *	interrupt
 * @when: that was
 */
struct kernel_event {
	enum softpt_flow_event event;
	uint32_t tid;
	uint64_t value;
	struct softpt_flow_time when;
};

struct kernel_events;

/* Return: NULL without memory */
struct kernel_events *kernel_events_new(const struct input *in, const struct input_stream *stream);
/* Return: false at the end of the trace */
bool kernel_events_next(struct kernel_events *k, struct kernel_event *event);
/* The thread that comes to the CPU right behind what was told last; 0: none does */
uint32_t kernel_events_comes(const struct kernel_events *k);
void kernel_events_free(struct kernel_events *k);

/* Whether the stream is of the kernel, in a recording in which each thread has a stream */
bool kernel_events_are(const struct input *in, const struct input_stream *stream);
/* Whether any of the streams is that */
bool kernel_events_any(const struct input *in);

#endif /* SOFTPT_FLOW_KERNEL_EVENTS_H */
