// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "flow/packets.h"
#include "flow/records.h"
#include "flow/step.h"
#include "time/decoder.h"
#include "time/runs.h"

#define KIND(k) (1u << SOFTPT_REC_##k)

static const uint32_t kinds = KIND(ENABLE) | KIND(DISABLE) | KIND(TAKEN) | KIND(NOT) | KIND(TIP) |
			      KIND(INTR) | KIND(MODE) | KIND(PTW) | KIND(PSB) | KIND(OVF) |
			      KIND(TSX) | KIND(CFE);

/* A time that can't be is no damage to the path; a stream may end within a packet. */
static bool is_damage(const struct flow_records *r, int err)
{
	return err != -SOFTPT_ERR_TIME &&
	       (err != -SOFTPT_ERR_TRUNCATED ||
		softpt_decoder_resync(r->d)->offset + SOFTPT_PACKET_MAX < r->len);
}

/* What an EVD packet of ours says, and no processor's */
static void note_call(struct flow_records *r, const struct softpt_record *rec)
{
	struct softpt_packet packet;
	struct softpt_stream s;

	softpt_stream_init(&s, r->buf, r->len);
	s.pos += rec->offset;
	if (softpt_stream_next(&s, &packet) > 0 && packet.type == SOFTPT_PKT_EVD &&
	    packet.payload2 == SOFTPT_EVD_CALL)
		r->call = packet.payload + 1;
}

static void fetch(struct flow_records *r)
{
	int ret;

	r->taken = 0;
	while ((ret = softpt_decoder_next_run(r->d, &r->run)) != 0) {
		if (ret == -ENOMEM)
			break;
		if (ret < 0 && is_damage(r, ret)) {
			r->damage = ret;
			r->damage_at = softpt_decoder_resync(r->d)->offset;
		}
		if (ret > 0 && r->run.first->kind == SOFTPT_REC_EVD)
			note_call(r, r->run.first);
		if (ret > 0 && kinds & 1u << r->run.first->kind) {
			r->next = r->run.first;
			return;
		}
	}
	r->next = NULL;
	r->run.count = 0;
}

int flow_records_open(struct flow_records *r, const struct input *in,
		      const struct input_stream *stream, uint64_t offset)
{
	*r = (struct flow_records){
		.d = flow_decoder_new(in, stream), .buf = stream->buf, .len = stream->len,
	};
	if (!r->d)
		return -ENOMEM;
	softpt_decoder_begin_at(r->d, offset);
	fetch(r);
	return 0;
}

void flow_records_close(struct flow_records *r)
{
	softpt_decoder_free(r->d);
	r->d = NULL;
}

struct softpt_flow_time flow_records_at_bit(const struct flow_records *r, unsigned int skip)
{
	struct softpt_flow_time when = flow_records_bounds(r);

	if (r->taken + skip)
		when.tsc = softpt_record_run_tsc(&r->run, r->taken + skip);
	return when;
}

void flow_records_times(const struct flow_records *r, unsigned int n, uint64_t *tsc)
{
	softpt_record_run_times(&r->run, r->taken, n, tsc);
}

static struct softpt_flow_time next_time(const struct flow_records *r)
{
	return flow_records_at_bit(r, 0);
}

/* A PSB+ may come between the packet that tells of a call and the call. */
static void pass(struct flow_records *r)
{
	r->damage = 0;
	if (r->next->kind != SOFTPT_REC_PSB)
		r->call = 0;
	if (r->taken + 1 < r->run.count) {
		r->taken++;
		return;
	}
	r->before = flow_records_offset(r) + 1;
	fetch(r);
}

uint64_t flow_records_before(const struct flow_records *r)
{
	return r->taken ? softpt_record_run_offset(&r->run, r->taken - 1) + 1 : r->before;
}

/* What no packet tells may be before a PSB or behind it. */
const struct softpt_flow_time *flow_records_take(struct flow_records *r)
{
	struct softpt_flow_time *when = r->next->kind == SOFTPT_REC_PSB ? &r->psb : &r->last;

	*when = next_time(r);
	r->late = false;
	pass(r);
	return when;
}

/* Where nobody asks for them times of bits need not be computed. */
static bool is_narrow(const struct flow_records *r, const struct softpt_flow_time *when)
{
	return !when->bounded || when->max - when->min <= r->widest;
}

/* Bounds of bits are the same, and their estimates between those of the first and the last. */
uint64_t flow_records_take_bits(struct flow_records *r, unsigned int n)
{
	const struct softpt_flow_time first = flow_records_bounds(r);
	struct softpt_flow_time begin;
	uint64_t bound;

	if (is_narrow(r, &first) && r->taken + n < r->run.count) {
		r->taken += n;
		r->damage = 0;
		r->last = first;
		r->late = true;
		return 0;
	}
	begin = next_time(r);
	bound = flow_bound(&begin);
	r->taken += n - 1;
	flow_records_take(r);
	if (flow_bound(&r->last) > bound)
		bound = flow_bound(&r->last);
	if (bound > r->widest)
		r->widest = bound;
	return bound;
}

void flow_records_pass(struct flow_records *r)
{
	r->end = next_time(r);
	pass(r);
}

void flow_records_skip(struct flow_records *r, uint64_t offset)
{
	while (r->next && flow_records_offset(r) < offset)
		flow_records_take(r);
	if (r->damage_at < offset)
		r->damage = 0;
}

static struct softpt_flow_time last_time(const struct flow_records *r)
{
	struct softpt_flow_time when = r->last;

	if (r->late)
		when.tsc = softpt_record_run_tsc(&r->run, r->taken - 1);
	return when;
}

/* In a damaged stream time may go back: then the later record bounds nothing. */
static struct softpt_flow_time between(const struct softpt_flow_time *last,
				       const struct softpt_flow_time *next)
{
	struct softpt_flow_time when = *last;

	when.max = next->max;
	when.bounded = next->bounded && next->max >= last->tsc;
	if (when.bounded && next->tsc > when.tsc)
		when.tsc += (next->tsc - when.tsc) / 2;
	return when;
}

void flow_records_between(struct flow_records *r, struct softpt_flow_time *when)
{
	const struct softpt_flow_time next = r->next ? next_time(r) : r->end;

	r->last = last_time(r);
	r->late = false;
	*when = between(&r->last, &next);
}

struct softpt_flow_time flow_records_before_bit(const struct flow_records *r, unsigned int skip)
{
	const struct softpt_flow_time next = flow_records_at_bit(r, skip),
				      last = skip ? flow_records_at_bit(r, skip - 1) : last_time(r);

	return between(&last, &next);
}

uint64_t flow_records_offset(const struct flow_records *r)
{
	if (!r->next)
		return r->len;
	return r->taken ? softpt_record_run_offset(&r->run, r->taken) : r->next->offset;
}
