// SPDX-License-Identifier: BSD-2-Clause
/* Packet encoder: the decoder's inverse, from the same table. */
#include "packet/packet.h"

/* The first bytes of each packet, without what its fields put there */
static const struct header {
	uint8_t len;
	uint8_t payload;	/* bytes behind it; 0 for those that take_rest() knows */
	uint16_t bytes;		/* little-endian */
} headers[SOFTPT_PKT_NR] = {
#define X(id, name, opc, ext, size, flags) \
	[SOFTPT_PKT_##id] = { \
		.len = (ext) == SOFTPT_PKT_NONE ? 1 : 2, \
		.payload = (size) > 2 ? (size) - ((ext) == SOFTPT_PKT_NONE ? 1 : 2) : \
			   (size) == 2 && (ext) == SOFTPT_PKT_NONE, \
		.bytes = (ext) == SOFTPT_PKT_NONE ? (opc) : (opc) | ((ext) & 0xff) << 8, \
	},
	SOFTPT_PACKETS(X)
#undef X
};

static void store64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static int encode_ip(uint8_t *pos, const struct softpt_packet *pkt)
{
	static const uint8_t sizes[] = SOFTPT_IP_SIZES;
	uint8_t size = sizes[pkt->ipbytes & 7];

	if (size == 0xff)
		return -SOFTPT_ERR_ENCODING;
	*pos = headers[pkt->type].bytes | pkt->ipbytes << 5;
	store64(pos + 1, pkt->payload);
	return 1 + size;
}

static int encode_tnt(uint8_t *pos, const struct softpt_packet *pkt)
{
	uint64_t bits = 1ull << (pkt->count & 63) | pkt->payload;

	if (!pkt->count || pkt->count > (pkt->type == SOFTPT_PKT_TNT8 ? 6 : 47) ||
	    pkt->payload >> pkt->count)
		return -SOFTPT_ERR_ENCODING;
	if (pkt->type == SOFTPT_PKT_TNT8) {
		*pos = bits << 1;
		return SOFTPT_SIZE_TNT8;
	}
	store64(pos, headers[SOFTPT_PKT_TNT64].bytes | bits << 16);
	return SOFTPT_SIZE_TNT64;
}

static int encode_cyc(uint8_t *pos, uint64_t cycles)
{
	uint8_t *p = pos;

	if (cycles >> 61)	/* five bits, and seven in each of eight bytes */
		return -SOFTPT_ERR_ENCODING;
	*p++ = cycles << 3 | (cycles > 0x1f) << 2 | SOFTPT_OPC_CYC;
	for (cycles >>= 5; cycles; cycles >>= 7)
		*p++ = cycles << 1 | (cycles > 0x7f);
	return p - pos;
}

/* Header with bits of its own, then a payload of so many bytes */
static int encode_ext(uint8_t *pos, const struct softpt_packet *pkt, uint8_t bits,
		      uint64_t payload, unsigned int bytes)
{
	pos[0] = SOFTPT_OPC_PSB;
	pos[1] = headers[pkt->type].bytes >> 8 | bits;
	store64(pos + 2, payload);
	return 2 + bytes;
}

static int encode_trig(uint8_t *pos, const struct softpt_packet *pkt)
{
	bool icnt = pkt->flags & SOFTPT_PKT_ICNT;

	pos[0] = SOFTPT_OPC_TRIG;
	pos[1] = (pkt->flags & SOFTPT_PKT_IP ? SOFTPT_TRIG_IP : 0) |
		 (icnt ? SOFTPT_TRIG_ICNTV : 0) |
		 (pkt->flags & SOFTPT_PKT_MULT ? SOFTPT_TRIG_MULT : 0);
	store64(pos + 2, (uint8_t)pkt->payload | pkt->payload2 << 8);
	return icnt ? 5 : 3;
}

/* Packets whose payload is not just the number of struct softpt_packet */
static int encode_rest(uint8_t *pos, const struct softpt_packet *pkt)
{
	uint8_t ip = pkt->flags & SOFTPT_PKT_IP ? 0x80 : 0;
	unsigned int i;

	switch (pkt->type) {
	case SOFTPT_PKT_PSB:
		for (i = 0; i < SOFTPT_SIZE_PSB; i += 2)
			memcpy(pos + i, "\x02\x82", 2);
		return SOFTPT_SIZE_PSB;
	case SOFTPT_PKT_PIP:
		return encode_ext(pos, pkt, 0, pkt->payload >> 5 << 1 | (pkt->payload2 & 1), 6);
	case SOFTPT_PKT_TMA:
		if (pkt->payload > 0xffff || pkt->payload2 > 0x1ff)
			return -SOFTPT_ERR_ENCODING;
		return encode_ext(pos, pkt, 0, pkt->payload | (uint64_t)pkt->payload2 << 24, 5);
	case SOFTPT_PKT_VMCS:
		return encode_ext(pos, pkt, 0, pkt->payload >> 12, 5);
	case SOFTPT_PKT_MNT:
		store64(pos + 3, pkt->payload);
		memcpy(pos, "\x02\xc3\x88", 3);
		return SOFTPT_SIZE_MNT;
	case SOFTPT_PKT_PTW:
		return encode_ext(pos, pkt, ip | (pkt->count == 8 ? SOFTPT_PTW_8 : 0),
				  pkt->payload, pkt->count == 8 ? 8 : 4);
	case SOFTPT_PKT_EXSTOP:
		return encode_ext(pos, pkt, ip, 0, 0);
	case SOFTPT_PKT_CFE:
		return encode_ext(pos, pkt, 0, pkt->payload2 | ip | pkt->payload << 8, 2);
	case SOFTPT_PKT_EVD:
		encode_ext(pos, pkt, 0, pkt->payload2, 1);
		store64(pos + 3, pkt->payload);
		return SOFTPT_SIZE_EVD;
	case SOFTPT_PKT_TRIG:
		return encode_trig(pos, pkt);
	}
	return -SOFTPT_ERR_OPCODE;
}

int softpt_packet_encode(uint8_t *pos, const uint8_t *end, const struct softpt_packet *pkt)
{
	const struct header *h;

	if (end - pos < SOFTPT_PACKET_MAX)
		return -SOFTPT_ERR_END;
	if (pkt->type >= SOFTPT_PKT_NR)
		return -SOFTPT_ERR_OPCODE;
	h = &headers[pkt->type];
	switch (pkt->type) {
	case SOFTPT_PKT_TNT8:
	case SOFTPT_PKT_TNT64:
		return encode_tnt(pos, pkt);
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
	case SOFTPT_PKT_FUP:
		return encode_ip(pos, pkt);
	case SOFTPT_PKT_CYC:
		return encode_cyc(pos, pkt->payload);
	case SOFTPT_PKT_PAD:
	case SOFTPT_PKT_MODE_EXEC:
	case SOFTPT_PKT_MODE_TSX:
	case SOFTPT_PKT_TSC:
	case SOFTPT_PKT_MTC:
	case SOFTPT_PKT_CBR:
	case SOFTPT_PKT_PSBEND:
	case SOFTPT_PKT_OVF:
	case SOFTPT_PKT_STOP:
	case SOFTPT_PKT_MWAIT:
	case SOFTPT_PKT_PWRE:
	case SOFTPT_PKT_PWRX:
		if (h->payload < 8 && pkt->payload >> 8 * h->payload)
			return -SOFTPT_ERR_ENCODING;
		memcpy(pos, &(uint16_t){ htole16(h->bytes) }, 2);
		store64(pos + h->len, pkt->payload);
		return h->len + h->payload;
	default:
		return encode_rest(pos, pkt);
	}
}
