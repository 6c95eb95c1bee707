// SPDX-License-Identifier: BSD-2-Clause
/* What a packet means that only the packets behind it tell */
#include "time/lookahead.h"
#include "packet/stream.h"

/* What is behind a TSC: perhaps its TMA. Return: size of the packet behind that, or an error */
static int look_at_tma(const struct softpt_stream *s, const uint8_t **pos, struct softpt_tsc *tsc,
		       struct softpt_packet *pkt)
{
	int size = softpt_packet_parse(*pos, s->end, pkt);

	if (size <= 0 || pkt->type != SOFTPT_PKT_TMA)
		return size;
	tsc->tma = true;
	tsc->ctc = pkt->payload;
	tsc->fc = pkt->payload2;
	*pos += size;
	return softpt_packet_parse(*pos, s->end, pkt);
}

/*
 * Before a TSC outside PSB+ that CBR follows the clocks stood still; where nobody can read what
 * follows they may have, or not. PADs at the end may come from a file's format.
 */
void softpt_look_behind_tsc(const struct softpt_stream *s, struct softpt_tsc *tsc)
{
	const uint8_t *p = s->pos;
	struct softpt_packet pkt;
	int size = look_at_tma(s, &p, tsc, &pkt);
	bool pads = false;

	for (; size > 0 && pkt.type == SOFTPT_PKT_PAD; pads = true)
		size = softpt_packet_parse(++p, s->end, &pkt);
	if (size < 0)
		tsc->end = SOFTPT_END_UNSURE;
	else if (pkt.type == SOFTPT_PKT_CBR && !pads)
		tsc->end = SOFTPT_END_RESTART;
	else
		tsc->end = SOFTPT_END_TSC;
}

bool softpt_look_for_tsc(const struct softpt_stream *s, struct softpt_tsc *tsc)
{
	struct softpt_stream ahead = *s;
	struct softpt_packet pkt;

	while (softpt_stream_parse(&ahead, &pkt) > 0) {
		if (pkt.type != SOFTPT_PKT_TSC)
			continue;
		tsc->tsc = pkt.payload;
		look_at_tma(&ahead, &ahead.pos, tsc, &pkt);
		return tsc->tma;
	}
	return false;
}

/* The FUP comes behind the TSC and TMA that resolve the OVF's record. */
bool softpt_look_behind_ovf(const struct softpt_stream *s, uint64_t *ip)
{
	const uint8_t *p = s->pos;
	struct softpt_packet pkt;
	int size;

	*ip = 0;
	while ((size = softpt_packet_parse(p, s->end, &pkt)) > 0) {
		p += size;
		if (pkt.type == SOFTPT_PKT_TSC || pkt.type == SOFTPT_PKT_TMA ||
		    pkt.type == SOFTPT_PKT_CYC || pkt.type == SOFTPT_PKT_PAD)
			continue;
		return pkt.type == SOFTPT_PKT_FUP && softpt_ip_update(ip, &pkt);
	}
	return false;
}
