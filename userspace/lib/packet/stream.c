// SPDX-License-Identifier: BSD-2-Clause
/* A position in a buffer of packets: blocks, and the way to the next PSB. */
#include "packet/stream.h"

#define PSB_WORD	0x8202820282028202ull
#define HIGH_BITS	0x8080808080808080	/* all in which the two bytes of a PSB differ */
#define RUN_MAX		(64 * SOFTPT_SIZE_PSB)

static int parse_bip(const struct softpt_stream *s, struct softpt_packet *pkt)
{
	uint8_t copy[1 + 8] = { 0 };
	size_t size = 1 + s->block;

	if ((size_t)(s->end - s->pos) < size)
		return -SOFTPT_ERR_TRUNCATED;
	memcpy(copy, s->pos, size);
	*pkt = (struct softpt_packet){
		.type = SOFTPT_PKT_BIP,
		.size = size,
		.payload = softpt_load64(copy + 1),
		.payload2 = copy[0] >> 3,
	};
	return size;
}

/* Only these may stand between the items of a block; all others end it. */
static bool may_be_in_block(unsigned int type)
{
	switch (type) {
	case SOFTPT_PKT_PAD:
	case SOFTPT_PKT_TSC:
	case SOFTPT_PKT_TMA:
	case SOFTPT_PKT_MTC:
	case SOFTPT_PKT_CYC:
	case SOFTPT_PKT_CBR:
	case SOFTPT_PKT_FUP:
	case SOFTPT_PKT_MNT:
	case SOFTPT_PKT_EXSTOP:
		return true;
	}
	return false;
}

/* softpt_stream_next() between a BBP and its BEP */
int softpt_block_parse(struct softpt_stream *s, struct softpt_packet *pkt)
{
	int size;

	if (s->pos < s->end && (*s->pos & 7) == SOFTPT_OPC_BIP)
		size = parse_bip(s, pkt);
	else
		size = softpt_packet_parse(s->pos, s->end, pkt);
	if (size < 0)
		return size;
	s->pos += size;
	if (pkt->type == SOFTPT_PKT_BBP)
		s->block = pkt->count;
	else if (pkt->type != SOFTPT_PKT_BIP && !may_be_in_block(pkt->type))
		s->block = 0;
	return size;
}

int softpt_stream_next(struct softpt_stream *s, struct softpt_packet *pkt)
{
	return softpt_stream_parse(s, pkt);
}

static bool is_pair(const uint8_t *p)
{
	return p[0] == SOFTPT_OPC_PSB && p[1] == SOFTPT_EXT_PSB;
}

/*
 * The first PSB of the run of 02 82 pairs that covers @hit, or NULL when the run is
 * too short. The bytes before a PSB may look like a part of it, those behind it
 * can't: so count from the end of the run. A run that has no end in sight is nobody's
 * PSBs, and not worth a walk for each search.
 */
static const uint8_t *psb_of_run(const uint8_t *begin, const uint8_t *hit, const uint8_t *end)
{
	const uint8_t *from = hit + (*hit != SOFTPT_OPC_PSB);
	const uint8_t *to = from;

	while (from - begin >= 2 && is_pair(from - 2))
		from -= 2;
	while (end - to >= 2 && to - from < RUN_MAX && is_pair(to))
		to += 2;
	if (to - from < SOFTPT_SIZE_PSB)
		return NULL;
	return to - (to - from) / SOFTPT_SIZE_PSB * SOFTPT_SIZE_PSB;
}

/*
 * Of 16 bytes of PSB every eighth position sees eight: look at one word in eight
 * bytes only.
 */
static const uint8_t *find_psb(const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *p, *psb;

	for (p = begin; end - p >= 8; p += 8) {
		uint64_t word = softpt_load64(p);

		/* from either byte of a pair on, and what is no PSB's */
		if ((word & ~HIGH_BITS) != (PSB_WORD & ~HIGH_BITS))
			continue;
		psb = psb_of_run(begin, p, end);
		if (psb)
			return psb;
	}
	return NULL;
}

int softpt_sync_forward(struct softpt_stream *s, int reason, struct softpt_resync *note)
{
	const uint8_t *from = s->pos;
	const uint8_t *psb = find_psb(from, s->end);

	s->pos = psb ? psb : s->end;
	s->block = 0;
	if (note) {
		note->reason = reason;
		note->offset = from - s->begin;
		note->skipped = s->pos - from;
	}
	return psb ? 0 : -SOFTPT_ERR_NO_SYNC;
}

/*
 * A packet that was cut short takes the begin of the PSB behind it for its own, and the rest is
 * none. So look back as far as no PSB could have been read.
 */
int softpt_sync_again(struct softpt_stream *s, int reason, struct softpt_resync *note)
{
	const uint8_t *at = s->pos, *psb = at - softpt_sync_back(s);

	do
		psb = find_psb(psb, s->end);
	while (psb && psb + SOFTPT_SIZE_PSB <= at && psb++);
	s->pos = psb ? psb : s->end;
	s->block = 0;
	if (note) {
		note->reason = reason;
		note->offset = at - s->begin;
		note->skipped = s->pos > at ? s->pos - at : 0;
	}
	return psb ? 0 : -SOFTPT_ERR_NO_SYNC;
}
