/* SPDX-License-Identifier: BSD-2-Clause */
/* A position in a buffer of packets, inline for the library's own loops */
#ifndef SOFTPT_LIB_PACKET_STREAM_H
#define SOFTPT_LIB_PACKET_STREAM_H

#include "packet/packet.h"

int softpt_block_parse(struct softpt_stream *s, struct softpt_packet *pkt)
	__attribute__((visibility("hidden")));

/* softpt_stream_next(), inline */
static inline int softpt_stream_parse(struct softpt_stream *s, struct softpt_packet *pkt)
{
	int size;

	if (__builtin_expect(s->block, 0))
		return softpt_block_parse(s, pkt);
	size = softpt_packet_parse(s->pos, s->end, pkt);
	if (size < 0)
		return size;
	s->pos += size;
	if (__builtin_expect(pkt->type == SOFTPT_PKT_BBP, 0))
		s->block = pkt->count;
	return size;
}

/* So far back may a PSB begin that is not over at the position. */
static inline size_t softpt_sync_back(const struct softpt_stream *s)
{
	size_t behind = s->pos - s->begin;

	return behind < SOFTPT_SIZE_PSB - 1 ? behind : SOFTPT_SIZE_PSB - 1;
}

#endif /* SOFTPT_LIB_PACKET_STREAM_H */
