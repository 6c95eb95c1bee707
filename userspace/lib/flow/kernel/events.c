// SPDX-License-Identifier: BSD-2-Clause
#include "flow/kernel/events.h"

#include <errno.h>
#include <stdlib.h>

#include <softpt/decoder.h>

#include "flow/packets.h"

/**
 * struct kernel_events - a cursor
 * @d: what they come from
 * @tid: who runs; 0: nobody, or that is not known
 * @in: a thread has come to the CPU, and that is told next
 * @faults: what comes next is the interrupt of a page fault, at @address
 * @address: of that
 */
struct kernel_events {
	struct softpt_decoder *d;
	uint32_t tid;
	bool in;
	bool faults;
	uint64_t address;
};

bool kernel_events_are(const struct input *in, const struct input_stream *stream)
{
	unsigned int i;

	for (i = 0; i < in->nr && stream->tid < 0; i++)
		if (in->streams[i].tid >= 0)
			return true;
	return false;
}

bool kernel_events_any(const struct input *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (kernel_events_are(in, &in->streams[i]))
			return true;
	return false;
}

struct kernel_events *kernel_events_new(const struct input *in, const struct input_stream *stream)
{
	struct kernel_events *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->d = flow_decoder_new(in, stream);
	if (k->d)
		return k;
	free(k);
	return NULL;
}

void kernel_events_free(struct kernel_events *k)
{
	if (!k)
		return;
	softpt_decoder_free(k->d);
	free(k);
}

/* There may have been a switch in what can't be read, and the interrupt of a fault. */
static void lose(struct kernel_events *k)
{
	k->tid = 0;
	k->faults = false;
}

/* The thread before leaves, if that is known; the next one comes. Return: whether one does */
static bool take_switch(struct kernel_events *k, uint64_t value, struct kernel_event *event)
{
	const uint32_t before = k->tid;

	k->tid = (uint32_t)value;
	k->in = before && k->tid;
	if (!before && !k->tid)
		return false;
	event->event = before ? SOFTPT_FLOW_SWITCH_OUT : SOFTPT_FLOW_SWITCH_IN;
	event->tid = before ? before : k->tid;
	event->value = before ? value >> 32 : 0;
	return true;
}

/* Return: whether a thread has met it */
static bool take_interrupt(struct kernel_events *k, uint64_t handler, struct kernel_event *event)
{
	event->event = k->faults ? SOFTPT_FLOW_FAULT : SOFTPT_FLOW_IRQ;
	event->tid = k->tid;
	event->value = k->faults ? k->address : handler;
	k->faults = false;
	return k->tid;
}

/* Return: whether the record makes an event */
static bool take(struct kernel_events *k, const struct softpt_record *rec,
		 struct kernel_event *event)
{
	event->when = (struct softpt_flow_time){
		.tsc = rec->tsc, .min = rec->tsc_min, .max = rec->tsc_max,
		.bounded = rec->flags & SOFTPT_REC_HAS_MAX,
	};
	switch (rec->kind) {
	case SOFTPT_REC_PTW:
		return take_switch(k, rec->value, event);
	case SOFTPT_REC_EVD:
		k->faults = true;
		k->address = rec->value;
		return false;
	case SOFTPT_REC_INTR:
		return take_interrupt(k, rec->value, event);
	case SOFTPT_REC_OVF:
		lose(k);
		return false;
	}
	return false;
}

uint32_t kernel_events_comes(const struct kernel_events *k)
{
	return k->in ? k->tid : 0;
}

bool kernel_events_next(struct kernel_events *k, struct kernel_event *event)
{
	const struct softpt_record *rec;
	int ret;

	if (k->in) {
		k->in = false;
		event->event = SOFTPT_FLOW_SWITCH_IN;
		event->tid = k->tid;
		event->value = 0;
		return true;
	}
	while ((ret = softpt_decoder_next(k->d, &rec)) && ret != -ENOMEM) {
		if (ret < 0 && ret != -SOFTPT_ERR_TIME)
			lose(k);
		else if (ret > 0 && take(k, rec, event))
			return true;
	}
	return false;
}
