// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where a path goes on that was lost: at the next PSB, or before it at a packet that says where the
 * program is. The packets before are read for what a decoder must know there: IPs are compressed,
 * and MODE packets hold until the next.
 */
#include <string.h>

#include "flow/packets.h"

void flow_resume_begin(struct flow_resume *r, const struct input_stream *stream)
{
	*r = (struct flow_resume){ .exec = SOFTPT_MODE_EXEC | SOFTPT_MODE_CSL };
	softpt_stream_init(&r->stream, stream->buf, stream->len);
}

void flow_resume_begin_at(struct flow_resume *r, const struct input_stream *stream,
			  uint64_t offset)
{
	flow_resume_begin(r, stream);
	r->stream.pos += offset;
}

/* Behind what is no packet the next PSB is looked for. */
static bool next(struct flow_resume *r, struct softpt_packet *packet)
{
	int size = 0;

	for (;;) {
		if (r->found)
			size = softpt_stream_next(&r->stream, packet);
		if (size > 0)
			break;
		if (r->found && r->stream.pos < r->stream.end)
			r->stream.pos++;
		if (softpt_sync_forward(&r->stream, 0, NULL))
			return false;
		r->found = true;
	}
	r->at = softpt_stream_offset(&r->stream) - size;
	return true;
}

static void take(struct flow_resume *r, const struct softpt_packet *packet)
{
	const uint8_t *bytes = r->stream.pos - packet->size;

	if (packet->type != SOFTPT_PKT_FUP && !flow_is_timing(packet->type)) {
		r->binds = packet->flags & SOFTPT_PKT_IP;
		r->bound = r->at;
	}
	switch (packet->type) {
	case SOFTPT_PKT_PSB:
		r->ip = 0;
		r->intx = false;
		r->header = true;
		break;
	case SOFTPT_PKT_PSBEND:
	case SOFTPT_PKT_OVF:
		r->header = false;
		break;
	case SOFTPT_PKT_MODE_EXEC:
		r->exec = bytes[1];
		break;
	case SOFTPT_PKT_MODE_TSX:
		r->intx = packet->payload & SOFTPT_MODE_INTX;
		break;
	}
}

/* An asynchronous branch goes on at the TIP behind its FUP, or nowhere. */
static bool stands_alone(const struct flow_resume *r)
{
	struct softpt_stream s = r->stream;
	unsigned int behind = flow_next_type(&s);

	return behind != SOFTPT_PKT_TIP && behind != SOFTPT_PKT_TIP_PGD &&
	       behind != SOFTPT_PKT_NR;
}

/* Where the program is at the PSB that was read, if it is traced there and nothing is damaged */
static void read_header(const struct flow_resume *r, struct flow_place *place)
{
	struct softpt_stream s = r->stream;
	struct softpt_packet packet;
	bool has_ip = false;

	place->ip = 0;
	place->has_ip = false;
	while (softpt_stream_next(&s, &packet) > 0) {
		if (packet.type == SOFTPT_PKT_PSBEND || packet.type == SOFTPT_PKT_OVF) {
			place->has_ip = has_ip;
			return;
		}
		if (packet.type == SOFTPT_PKT_FUP)
			has_ip = softpt_ip_update(&place->ip, &packet);
		else if (packet.type == SOFTPT_PKT_MODE_EXEC)
			place->exec = packet.payload;
		else if (packet.type == SOFTPT_PKT_MODE_TSX)
			place->intx = packet.payload & SOFTPT_MODE_INTX;
	}
}

/* Whether the packet is a place; @known: its IP, if it has one */
static bool is_place(const struct flow_resume *r, const struct softpt_packet *packet, bool known,
		     struct flow_place *place)
{
	*place = (struct flow_place){
		.at = softpt_stream_offset(&r->stream), .sync = r->at, .ip = r->ip, .made = true,
		.has_ip = known, .intx = r->intx, .exec = r->exec,
	};
	switch (packet->type) {
	case SOFTPT_PKT_PSB:
		place->at = r->at;
		place->made = false;
		place->packet = FLOW_PSB;
		read_header(r, place);
		return true;
	case SOFTPT_PKT_TIP:
		place->packet = FLOW_TIP;
		return known;
	case SOFTPT_PKT_TIP_PGE:
		place->packet = FLOW_ENABLE;
		return known;
	case SOFTPT_PKT_FUP:
		/* What has happened there is read once more. */
		if (r->binds)
			place->at = r->bound;
		place->packet = FLOW_NO_PACKET;
		return known && !r->header && stands_alone(r);
	}
	return false;
}

bool flow_resume_find(struct flow_resume *r, uint64_t from, struct flow_place *place)
{
	struct softpt_packet packet;
	bool known;

	while (next(r, &packet)) {
		take(r, &packet);
		known = (packet.type == SOFTPT_PKT_TIP || packet.type == SOFTPT_PKT_TIP_PGE ||
			 packet.type == SOFTPT_PKT_TIP_PGD || packet.type == SOFTPT_PKT_FUP) &&
			softpt_ip_update(&r->ip, &packet);
		if (r->at >= from && is_place(r, &packet, known, place))
			return true;
	}
	return false;
}

uint64_t flow_place_make(struct flow_copy *copy, const struct flow_place *place)
{
	uint8_t psb[FLOW_BEFORE], *to = psb;
	unsigned int i;

	for (i = 0; i < SOFTPT_SIZE_PSB / 2; i++) {
		*to++ = SOFTPT_OPC_PSB;
		*to++ = SOFTPT_EXT_PSB;
	}
	*to++ = SOFTPT_OPC_MODE_EXEC;
	*to++ = place->exec;
	if (place->intx) {
		*to++ = SOFTPT_OPC_MODE_TSX;
		*to++ = SOFTPT_MODE_TSX | SOFTPT_MODE_INTX;
	}
	*to++ = SOFTPT_OPC_FUP | SOFTPT_IP_FULL << 5;
	memcpy(to, &place->ip, sizeof(place->ip));
	to += sizeof(place->ip);
	*to++ = SOFTPT_OPC_PSBEND;
	*to++ = SOFTPT_EXT_PSBEND;
	memcpy(copy->bytes + FLOW_BEFORE + place->at - (to - psb), psb, to - psb);
	return FLOW_BEFORE + place->at - (to - psb);
}
