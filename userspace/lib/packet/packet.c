// SPDX-License-Identifier: BSD-2-Clause
/* Packet decoder: its tables, what a table can't say, IP compression. */
#include "packet/packet.h"

/*
 * The table: first "no packet" everywhere, then a row for each packet of the
 * shared list, then what a row of that list can't say. Later entries replace
 * earlier ones on purpose.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

/* Payload offset and bytes of packets whose payload is one little-endian number */
enum {
#define X(id, name, opc, ext, size, flags) \
	OFFSET_##id = (ext) == SOFTPT_PKT_NONE ? 1 : 2, \
	BYTES_##id = (size) > OFFSET_##id ? (size) - OFFSET_##id : 0,
	SOFTPT_PACKETS(X)
#undef X
};

#define MASK(bytes)	((bytes) < 8 ? (1ull << (bytes) % 8 * 8) - 1 : ~0ull)
#define GUARD(check_) \
	.check = SOFTPT_CHECK_##check_, .always = 1, .guard = SOFTPT_CHECK_##check_ ? 1 : 0
#define ENTRY(id, size_, off_, bytes_, check_, ...) \
	{ .pkt = { .type = SOFTPT_PKT_##id, .size = (size_), __VA_ARGS__ }, \
	  .offset = (off_), .mask = MASK(bytes_), GUARD(check_) }
#define FIRST(id)	SOFTPT_OPC_##id
#define SECOND(id)	(256 + SOFTPT_EXT_##id)

#define TNT(byte, n) \
	[byte] = ENTRY(TNT8, 1, 0, 0, NONE, .count = (n), \
		       .payload = (byte) >> 1 & ((1 << (n)) - 1))
#define TNT4(byte, n)	TNT(byte, n), TNT((byte) + 2, n), TNT((byte) + 4, n), TNT((byte) + 6, n)
#define TNT16(byte, n)	TNT4(byte, n), TNT4((byte) + 8, n), TNT4((byte) + 16, n), \
			TNT4((byte) + 24, n)

/* Bit 2 is Exp: another byte follows, with seven bits above an Exp of its own */
#define CYC(n) \
	[(n) << 3 | SOFTPT_OPC_CYC] = ENTRY(CYC, 1, 0, 0, NONE, .payload = (n)), \
	[(n) << 3 | 4 | SOFTPT_OPC_CYC] = { \
		.pkt = { .type = SOFTPT_PKT_CYC, .size = 2, .payload = (n) }, \
		.offset = 1, .mask = 0xfe, .shift = 4, .check = SOFTPT_CHECK_CYC, .guard = 1, \
	}
#define CYC8(n)		CYC(n), CYC((n) + 1), CYC((n) + 2), CYC((n) + 3), \
			CYC((n) + 4), CYC((n) + 5), CYC((n) + 6), CYC((n) + 7)

#define IP(id, n, len, check) \
	[(n) << 5 | SOFTPT_OPC_##id] = ENTRY(id, 1 + (len), 1, len, check, .ipbytes = (n))
#define IPS(id)		IP(id, 0, 0, NONE), IP(id, 1, 2, NONE), IP(id, 2, 4, NONE), \
			IP(id, 3, 6, NONE), IP(id, 4, 6, NONE), IP(id, 5, 0, RESERVED), \
			IP(id, 6, 8, NONE), IP(id, 7, 0, RESERVED)

#define PTW(bits, len, ip) \
	[SECOND(PTW) | (bits)] = ENTRY(PTW, 2 + (len), 2, len, NONE, .count = (len), .flags = (ip))

#define PTW_BAD(bits) \
	[SECOND(PTW) | (bits)] = ENTRY(PTW, 2, 0, 0, RESERVED)

const struct softpt_entry softpt_entries[512] = {
	[0 ... 255] = { .pkt.size = 1, GUARD(OPCODE) },
	[256 ... 511] = { .pkt.size = 2, GUARD(OPCODE) },

#define X(id, name, opc, ext, size, flags) \
	[(ext) == SOFTPT_PKT_NONE ? (opc) : 256 + ((ext) & 0xff)] = \
		ENTRY(id, size, OFFSET_##id, BYTES_##id, NONE),
	SOFTPT_PACKETS(X)
#undef X

	[FIRST(PAD)] = ENTRY(PAD, 1, 0, 0, NONE),
	TNT(4, 1), TNT(6, 1),
	TNT4(8, 2),
	TNT4(16, 3), TNT4(24, 3),
	TNT16(32, 4),
	TNT16(64, 5), TNT16(96, 5),
	TNT16(128, 6), TNT16(160, 6), TNT16(192, 6), TNT16(224, 6),
	CYC8(0), CYC8(8), CYC8(16), CYC8(24),
	IPS(TIP), IPS(TIP_PGE), IPS(TIP_PGD), IPS(FUP),
	PTW(0, 4, 0), PTW(SOFTPT_PTW_8, 8, 0),
	PTW(SOFTPT_EXT_IP, 4, SOFTPT_PKT_IP),
	PTW(SOFTPT_EXT_IP | SOFTPT_PTW_8, 8, SOFTPT_PKT_IP),
	PTW_BAD(0x40), PTW_BAD(0x60), PTW_BAD(SOFTPT_EXT_IP | 0x40), PTW_BAD(SOFTPT_EXT_IP | 0x60),
	[SECOND(EXSTOP) | SOFTPT_EXT_IP] = ENTRY(EXSTOP, 2, 0, 0, NONE, .flags = SOFTPT_PKT_IP),
	[SECOND(BEP) | SOFTPT_EXT_IP] = ENTRY(BEP, 2, 0, 0, NONE, .flags = SOFTPT_PKT_IP),

	[FIRST(MODE_EXEC)] = ENTRY(MODE_EXEC, 2, 1, 1, MODE),
	[FIRST(TRIG)] = ENTRY(TRIG, 3, 2, 1, TRIG),
	[SECOND(TNT64)] = ENTRY(TNT64, 8, 2, 6, TNT64),
	[SECOND(PIP)] = ENTRY(PIP, 8, 2, 6, PIP),
	[SECOND(TMA)] = ENTRY(TMA, 7, 2, 2, TMA),
	[SECOND(CBR)] = ENTRY(CBR, 4, 2, 1, NONE),
	[SECOND(PSB)] = ENTRY(PSB, 16, 0, 0, PSB),
	[SECOND(VMCS)] = ENTRY(VMCS, 7, 2, 5, VMCS),
	[SECOND(MNT)] = ENTRY(MNT, 11, 3, 8, MNT),
	[SECOND(CFE)] = ENTRY(CFE, 4, 3, 1, CFE),
	[SECOND(EVD)] = ENTRY(EVD, 11, 3, 8, EVD),
	[SECOND(BBP)] = ENTRY(BBP, 3, 2, 1, BBP),
};

#pragma GCC diagnostic pop

static int finish_cyc(const uint8_t *pos, struct softpt_packet *pkt)
{
	unsigned int n;

	for (n = 2; n < SOFTPT_CYC_MAX_BYTES; n++) {
		pkt->payload |= (uint64_t)(pos[n] >> 1) << (7 * n - 2);
		if (!(pos[n] & 1)) {
			pkt->size = n + 1;
			return pkt->size;
		}
	}
	return -SOFTPT_ERR_ENCODING;
}

static int finish_tnt64(struct softpt_packet *pkt)
{
	if (pkt->payload < 2)
		return -SOFTPT_ERR_ENCODING;
	pkt->count = 63 - __builtin_clzll(pkt->payload);
	pkt->payload -= 1ull << pkt->count;
	return pkt->size;
}

static int finish_pip(struct softpt_packet *pkt)
{
	pkt->payload2 = pkt->payload & 1;
	pkt->payload = pkt->payload >> 1 << 5;
	return pkt->size;
}

static int finish_mode(struct softpt_packet *pkt)
{
	switch (pkt->payload & 0xe0) {
	case SOFTPT_MODE_EXEC:
		return pkt->size;
	case SOFTPT_MODE_TSX:
		pkt->type = SOFTPT_PKT_MODE_TSX;
		return pkt->size;
	}
	return -SOFTPT_ERR_ENCODING;
}

static int finish_tma(const uint8_t *pos, struct softpt_packet *pkt)
{
	pkt->payload2 = pos[5] | pos[6] << 8;
	if (pos[4] || pkt->payload2 >= 512)
		return -SOFTPT_ERR_ENCODING;
	return pkt->size;
}

static int finish_psb(const uint8_t *pos, struct softpt_packet *pkt)
{
	return memcmp(pos, pos + 2, pkt->size - 2) ? -SOFTPT_ERR_ENCODING : pkt->size;
}

static int finish_cfe(const uint8_t *pos, struct softpt_packet *pkt)
{
	pkt->payload2 = pos[2] & 0x1f;
	pkt->flags = pos[2] & SOFTPT_CFE_IP ? SOFTPT_PKT_IP : 0;
	return pkt->size;
}

static int finish_trig(const uint8_t *pos, struct softpt_packet *pkt)
{
	if (pos[1] & SOFTPT_TRIG_IP)
		pkt->flags |= SOFTPT_PKT_IP;
	if (pos[1] & SOFTPT_TRIG_MULT)
		pkt->flags |= SOFTPT_PKT_MULT;
	if (pos[1] & SOFTPT_TRIG_ICNTV) {
		pkt->flags |= SOFTPT_PKT_ICNT;
		pkt->payload2 = pos[3] | pos[4] << 8;
		pkt->size = 5;
	}
	return pkt->size;
}

static int finish_bbp(struct softpt_packet *pkt)
{
	pkt->count = pkt->payload & SOFTPT_BBP_4 ? 4 : 8;
	pkt->payload &= 0x1f;
	return pkt->size;
}

int softpt_packet_finish(const uint8_t *pos, unsigned int check, struct softpt_packet *pkt)
{
	switch (check) {
	case SOFTPT_CHECK_CYC:
		return finish_cyc(pos, pkt);
	case SOFTPT_CHECK_TNT64:
		return finish_tnt64(pkt);
	case SOFTPT_CHECK_PIP:
		return finish_pip(pkt);
	case SOFTPT_CHECK_MODE:
		return finish_mode(pkt);
	case SOFTPT_CHECK_TMA:
		return finish_tma(pos, pkt);
	case SOFTPT_CHECK_PSB:
		return finish_psb(pos, pkt);
	case SOFTPT_CHECK_VMCS:
		pkt->payload <<= 12;
		return pkt->size;
	case SOFTPT_CHECK_MNT:
		return pos[2] == SOFTPT_MNT_EXT2 ? pkt->size : -SOFTPT_ERR_OPCODE;
	case SOFTPT_CHECK_CFE:
		return finish_cfe(pos, pkt);
	case SOFTPT_CHECK_EVD:
		pkt->payload2 = pos[2] & 0x3f;
		return pkt->size;
	case SOFTPT_CHECK_TRIG:
		return finish_trig(pos, pkt);
	case SOFTPT_CHECK_BBP:
		return finish_bbp(pkt);
	case SOFTPT_CHECK_RESERVED:
		return -SOFTPT_ERR_ENCODING;
	}
	return -SOFTPT_ERR_OPCODE;
}

/*
 * Near the end of the data: decode from a copy with zeros behind it. A packet that
 * would be longer than what is left, and one that is refused because of the zeros
 * (a PSB or MNT cut short), is truncated.
 */
int softpt_packet_parse_short(const uint8_t *pos, size_t left, struct softpt_packet *pkt)
{
	uint8_t copy[SOFTPT_PACKET_MAX] = { 0 };
	int size;

	if (!left)
		return -SOFTPT_ERR_END;
	memcpy(copy, pos, left);
	if (left == 1 && *copy == SOFTPT_OPC_PSB)
		return -SOFTPT_ERR_TRUNCATED;
	size = softpt_packet_parse_whole(copy, pkt);
	if (size == -SOFTPT_ERR_OPCODE && pkt->type == SOFTPT_PKT_MNT)
		return left < 3 ? -SOFTPT_ERR_TRUNCATED : size;
	return left < pkt->size ? -SOFTPT_ERR_TRUNCATED : size;
}

int softpt_packet_decode(const uint8_t *pos, const uint8_t *end, struct softpt_packet *pkt)
{
	return softpt_packet_parse(pos, end, pkt);
}

static uint64_t sign_extend48(uint64_t v)
{
	return (uint64_t)((int64_t)(v << 16) >> 16);
}

bool softpt_ip_update(uint64_t *last_ip, const struct softpt_packet *pkt)
{
	uint64_t kept;

	switch (pkt->ipbytes) {
	case SOFTPT_IP_UPDATE16:
		kept = ~0xffffull;
		break;
	case SOFTPT_IP_UPDATE32:
		kept = ~0xffffffffull;
		break;
	case SOFTPT_IP_SEXT48:
		*last_ip = sign_extend48(pkt->payload);
		return true;
	case SOFTPT_IP_UPDATE48:
		kept = ~0xffffffffffffull;
		break;
	case SOFTPT_IP_FULL:
		kept = 0;
		break;
	default:
		return false;
	}
	*last_ip = (*last_ip & kept) | pkt->payload;
	return true;
}
