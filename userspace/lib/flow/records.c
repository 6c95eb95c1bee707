// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "flow/packets.h"
#include "flow/records.h"

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

static void fetch(struct flow_records *r)
{
	int ret;

	while ((ret = softpt_decoder_next(r->d, &r->next)) != 0) {
		if (ret == -ENOMEM)
			break;
		if (ret < 0 && is_damage(r, ret)) {
			r->damage = ret;
			r->damage_at = softpt_decoder_resync(r->d)->offset;
		}
		if (ret > 0 && kinds & 1u << r->next->kind)
			return;
	}
	r->next = NULL;
}

int flow_records_open(struct flow_records *r, const struct input *in,
		      const struct input_stream *stream)
{
	*r = (struct flow_records){ .d = flow_decoder_new(in, stream), .len = stream->len };
	if (!r->d)
		return -ENOMEM;
	fetch(r);
	return 0;
}

void flow_records_close(struct flow_records *r)
{
	softpt_decoder_free(r->d);
	r->d = NULL;
}

static struct softpt_flow_time time_of(const struct softpt_record *rec)
{
	return (struct softpt_flow_time){
		.tsc = rec->tsc, .min = rec->tsc_min, .max = rec->tsc_max,
		.bounded = rec->flags & SOFTPT_REC_HAS_MAX,
	};
}

static void pass(struct flow_records *r)
{
	r->before = r->next->offset + 1;
	r->damage = 0;
	fetch(r);
}

/* What no packet tells may be before a PSB or behind it. */
const struct softpt_flow_time *flow_records_take(struct flow_records *r)
{
	struct softpt_flow_time *when = r->next->kind == SOFTPT_REC_PSB ? &r->psb : &r->last;

	*when = time_of(r->next);
	pass(r);
	return when;
}

void flow_records_pass(struct flow_records *r)
{
	r->end = time_of(r->next);
	pass(r);
}

void flow_records_skip(struct flow_records *r, uint64_t offset)
{
	while (r->next && r->next->offset < offset)
		flow_records_take(r);
	if (r->damage_at < offset)
		r->damage = 0;
}

/* In a damaged stream time may go back: then the later record bounds nothing. */
void flow_records_between(const struct flow_records *r, struct softpt_flow_time *when)
{
	const struct softpt_flow_time next = r->next ? time_of(r->next) : r->end;

	*when = r->last;
	when->max = next.max;
	when->bounded = next.bounded && next.max >= r->last.tsc;
	if (when->bounded && next.tsc > when->tsc)
		when->tsc += (next.tsc - when->tsc) / 2;
}

uint64_t flow_records_offset(const struct flow_records *r)
{
	return r->next ? r->next->offset : r->len;
}
