// SPDX-License-Identifier: BSD-2-Clause
/*
 * When the steps of the control flow happened: libipt and libsoftpt read the same stream,
 * and each step that needed a packet takes the next record of that packet. At each PSB both
 * are at the same place again, whatever happened in between.
 */
#include <errno.h>
#include <stdlib.h>

#include "flow/packets.h"
#include "flow/times.h"

#define KIND(k) (1u << SOFTPT_REC_##k)

static const uint32_t kinds_of[] = {
	[FLOW_TNT] = KIND(TAKEN) | KIND(NOT),
	[FLOW_TIP] = KIND(TIP),
	[FLOW_TNT_OR_TIP] = KIND(TAKEN) | KIND(TIP),
	[FLOW_ENABLE] = KIND(ENABLE),
	[FLOW_DISABLE] = KIND(DISABLE) | KIND(STOP),
	[FLOW_INTR] = KIND(INTR),
	[FLOW_OVF] = KIND(OVF),
	[FLOW_PTW] = KIND(PTW),
	[FLOW_PSB] = KIND(PSB),
};

#define FLOW_KINDS \
	(KIND(TAKEN) | KIND(NOT) | KIND(TIP) | KIND(ENABLE) | KIND(DISABLE) | KIND(STOP) | \
	 KIND(INTR) | KIND(OVF) | KIND(PTW))

#define BRANCH_KINDS	(KIND(TAKEN) | KIND(NOT) | KIND(TIP))
#define EVENT_KINDS	(FLOW_KINDS & ~BRANCH_KINDS)

/* The next record that belongs to a step, or a PSB; damage was libipt's to report. */
static void fetch(struct flow_times *t)
{
	const struct softpt_record *rec;
	int ret;

	t->more = false;
	while ((ret = softpt_decoder_next(t->d, &rec)) != 0) {
		if (ret == -ENOMEM)
			return;
		if (ret > 0 && (FLOW_KINDS | KIND(PSB)) & 1u << rec->kind) {
			t->next = *rec;
			t->more = true;
			return;
		}
	}
}

int flow_times_open(struct flow_times *t, const struct input *in,
		    const struct input_stream *stream)
{
	t->d = flow_decoder_new(in, stream);
	if (!t->d)
		return -ENOMEM;
	fetch(t);
	return 0;
}

static void take(struct flow_times *t)
{
	if (t->next.kind == SOFTPT_REC_PSB)
		t->psb = t->next;
	else
		t->last = t->next;
	fetch(t);
}

static void pass_psbs(struct flow_times *t)
{
	while (t->more && t->next.kind == SOFTPT_REC_PSB)
		take(t);
}

/* In a damaged stream time may go back: then the later record bounds nothing. */
static void set(struct softpt_flow_time *when, const struct softpt_record *from,
		const struct softpt_record *to)
{
	when->tsc = from->tsc;
	when->min = from->tsc_min;
	when->max = to->tsc_max;
	when->bounded = to->flags & SOFTPT_REC_HAS_MAX && to->tsc_max >= from->tsc;
}

/*
 * A step without a packet is not before the record before it, nor after the one behind it.
 * A record that should be there and is not: the same is true.
 */
void flow_times_of(struct flow_times *t, const struct flow_step *step, uint64_t sync,
		   struct softpt_flow_time *when)
{
	uint32_t kinds = step->packet == FLOW_NO_PACKET ? 0 : kinds_of[step->packet];

	while (t->more && t->next.offset < sync)
		take(t);
	if (step->packet == FLOW_PSB) {
		if (t->more && t->next.offset == sync)
			take(t);
		t->last = t->psb;
		set(when, &t->psb, &t->psb);
		return;
	}
	pass_psbs(t);
	/* An event can't be missing: branches before it that found no step are past. */
	while (t->more && kinds & EVENT_KINDS && BRANCH_KINDS & 1u << t->next.kind) {
		take(t);
		pass_psbs(t);
	}
	if (t->more && kinds & 1u << t->next.kind) {
		take(t);
		set(when, &t->last, &t->last);
		return;
	}
	set(when, &t->last, t->more ? &t->next : &t->last);
	when->bounded &= t->more;
	if (when->bounded && t->next.tsc > when->tsc)
		when->tsc += (t->next.tsc - when->tsc) / 2;
}

void flow_times_close(struct flow_times *t)
{
	softpt_decoder_free(t->d);
	t->d = NULL;
}
