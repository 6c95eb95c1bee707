// SPDX-License-Identifier: BSD-2-Clause
/* What the packets behind a place in a stream say of it */
#include "flow/packets.h"

bool flow_is_timing(unsigned int type)
{
	return type == SOFTPT_PKT_PAD || type == SOFTPT_PKT_TSC || type == SOFTPT_PKT_TMA ||
	       type == SOFTPT_PKT_MTC || type == SOFTPT_PKT_CYC || type == SOFTPT_PKT_CBR ||
	       type == SOFTPT_PKT_MNT;
}

bool flow_is_async(unsigned int type)
{
	static const uint32_t types = 1u << 1 | 1u << 3 | 1u << 5 | 1u << 6 | 1u << 8 | 1u << 9 |
				      1u << 10 | 1u << 12;

	return types & 1u << (type & 31);
}

unsigned int flow_next_type(struct softpt_stream *s)
{
	struct softpt_packet packet;

	while (softpt_stream_next(s, &packet) > 0)
		if (!flow_is_timing(packet.type))
			return packet.type;
	return SOFTPT_PKT_NR;
}

struct softpt_decoder *flow_decoder_new(const struct input *in, const struct input_stream *stream)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);

	if (!d)
		return NULL;
	if (in->foreign)
		softpt_decoder_set_foreign(d, &in->config);
	softpt_decoder_set_buffer(d, stream->buf, stream->len);
	return d;
}

bool flow_is_ours(const uint8_t *buf, size_t len)
{
	struct softpt_packet packet;
	struct softpt_stream s;

	softpt_stream_init(&s, buf, len);
	if (softpt_sync_forward(&s, 0, NULL))
		return false;
	while (softpt_stream_next(&s, &packet) > 0 && packet.type != SOFTPT_PKT_PSBEND)
		if (packet.type == SOFTPT_PKT_MNT && packet.payload >> 56 == SOFTPT_MNT_MAGIC)
			return true;
	return false;
}

bool flow_aborts(const struct input_stream *stream, uint64_t offset)
{
	struct softpt_packet packet;
	struct softpt_stream s;

	softpt_stream_init(&s, stream->buf, stream->len);
	s.pos += offset;
	while (softpt_stream_next(&s, &packet) > 0)
		if (packet.type == SOFTPT_PKT_MODE_TSX && !(packet.payload & SOFTPT_MODE_INTX))
			return packet.payload & SOFTPT_MODE_ABORT;
	return false;
}

uint64_t flow_psb_ip(const struct input_stream *stream, uint64_t offset)
{
	struct softpt_packet packet;
	struct softpt_stream s;
	uint64_t ip = 0;

	softpt_stream_init(&s, stream->buf, stream->len);
	s.pos += offset;
	while (softpt_stream_next(&s, &packet) > 0)
		if (packet.type == SOFTPT_PKT_FUP)
			return softpt_ip_update(&ip, &packet) ? ip : 0;
		else if (packet.type == SOFTPT_PKT_PSBEND || packet.type == SOFTPT_PKT_OVF)
			break;
	return 0;
}
