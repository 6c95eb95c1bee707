/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packet decoder itself, inline for the library's own loops.
 *
 * One entry for each first byte, and one for each second byte behind 02, says
 * nearly everything about a packet: the part of struct softpt_packet that is
 * constant, and where the payload lies. So most packets are decoded by the same
 * few instructions, whatever they are, and a stream's mix costs no mispredicted
 * branch. Only what an entry can't say is a check of its own (softpt_packet_finish).
 */
#ifndef SOFTPT_LIB_PACKET_H
#define SOFTPT_LIB_PACKET_H

#include <endian.h>
#include <string.h>

#include <softpt/softpt.h>

/* What is left to look at when the entry has been applied */
enum softpt_check {
	SOFTPT_CHECK_NONE,
	SOFTPT_CHECK_CYC,	/* more than two bytes */
	SOFTPT_CHECK_TNT64,
	SOFTPT_CHECK_PIP,
	SOFTPT_CHECK_MODE,
	SOFTPT_CHECK_TMA,
	SOFTPT_CHECK_PSB,
	SOFTPT_CHECK_VMCS,
	SOFTPT_CHECK_MNT,
	SOFTPT_CHECK_CFE,
	SOFTPT_CHECK_EVD,
	SOFTPT_CHECK_TRIG,
	SOFTPT_CHECK_BBP,
	SOFTPT_CHECK_RESERVED,	/* an IPBytes or PTW size that means nothing */
	SOFTPT_CHECK_OPCODE,	/* no packet */
};

/*
 * The check is called for when ((second byte | always) & guard) is not 0: never, always,
 * or, for a CYC of two bytes, when a third follows.
 */
struct softpt_entry {
	struct softpt_packet pkt;	/* payload: what the first byte itself holds */
	uint64_t mask;			/* of the payload in the eight bytes at @offset */
	uint8_t offset;
	uint8_t shift;			/* of the payload, to the left */
	uint8_t guard;
	uint8_t always;
	uint8_t check;			/* enum softpt_check */
};

/* Indexed by the first byte, or by 256 + the second byte behind 02 */
extern const struct softpt_entry softpt_entries[512] __attribute__((visibility("hidden")));

int softpt_packet_finish(const uint8_t *pos, unsigned int check, struct softpt_packet *pkt)
	__attribute__((visibility("hidden")));
int softpt_packet_parse_short(const uint8_t *pos, size_t left, struct softpt_packet *pkt)
	__attribute__((visibility("hidden")));

static inline uint64_t softpt_load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* Decode a packet of which SOFTPT_PACKET_MAX bytes may be read. */
static inline int softpt_packet_parse_whole(const uint8_t *pos, struct softpt_packet *pkt)
{
	const struct softpt_entry *e = &softpt_entries[*pos];

	if (*pos == SOFTPT_OPC_PSB)
		e = &softpt_entries[256 + pos[1]];
	*pkt = e->pkt;
	pkt->payload += (softpt_load64(pos + e->offset) & e->mask) << e->shift;
	if (__builtin_expect(!((pos[1] | e->always) & e->guard), 1))
		return e->pkt.size;
	return softpt_packet_finish(pos, e->check, pkt);
}

/* softpt_packet_decode(), inline */
static inline int softpt_packet_parse(const uint8_t *pos, const uint8_t *end,
				      struct softpt_packet *pkt)
{
	if (__builtin_expect(end - pos >= SOFTPT_PACKET_MAX, 1))
		return softpt_packet_parse_whole(pos, pkt);
	return softpt_packet_parse_short(pos, end - pos, pkt);
}

#endif /* SOFTPT_LIB_PACKET_H */
