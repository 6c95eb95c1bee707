// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets: no read and no write out of bounds, no undefined behaviour, by Frama-C's Eva
 * (abstract interpretation). Its answer covers all values of what is unknown here: all
 * bytes, at each distance from the end of the data; all packets; all values of an engine.
 *
 * Each buffer ends where the code under proof may go to, and not a byte later.
 */
#include "proof.h"
#include <endian.h>
/* A little-endian machine, as all are that the module runs on */
#define htole16(v)	(v)
#define htole64(v)	(v)
#define le64toh(v)	(v)
#include "../../userspace/lib/packet/packet.c"
#include "../../userspace/lib/packet/encode.c"
#include "../../kmod/engine/packet/write.h"

#include <__fc_builtin.h>

static void unknown(void *p, size_t n)
{
	Frama_C_make_unknown(p, n);
}

/* @left bytes, of which the first two are these: they say what the rest is. */
static void decode_one(unsigned int first, unsigned int second, unsigned int left)
{
	uint8_t bytes[SOFTPT_PACKET_MAX], *pos = bytes + SOFTPT_PACKET_MAX - left;
	struct softpt_packet pkt;
	uint64_t ip = Frama_C_unsigned_long_interval(0, UINT64_MAX);
	int size;

	unknown(bytes, sizeof(bytes));
	if (left > 0)
		pos[0] = first;
	if (left > 1)
		pos[1] = second;
	size = softpt_packet_decode(pos, bytes + SOFTPT_PACKET_MAX, &pkt);
	/*@ assert size_is_within: size <= left && size != 0; */
	if (size > 0)
		softpt_ip_update(&ip, &pkt);
}

static unsigned int any(unsigned int min, unsigned int max)
{
	return Frama_C_unsigned_int_interval(min, max);
}

/* TNTs, and CYCs of one byte and of more, are many of a kind: each kind at once. */
void decode(void)
{
	unsigned int first, left;

	for (left = 0; left <= SOFTPT_PACKET_MAX; left++) {
		decode_one(2 * any(2, 127), any(0, 255), left);
		decode_one(8 * any(0, 31) + 3, any(0, 255), left);
		decode_one(8 * any(0, 31) + 7, any(0, 255), left);
		decode_one(SOFTPT_OPC_PAD, any(0, 255), left);
		for (first = 1; first < 256; first += 4)
			decode_one(first, any(0, 255), left);
	}
}

/* Second bytes that no packet has share an entry, and are looked at once. */
void decode_extended(void)
{
	unsigned int second, left;

	for (left = 0; left <= SOFTPT_PACKET_MAX; left++) {
		decode_one(SOFTPT_OPC_PSB, 0, left);
		for (second = 1; second < 256; second++)
			if (softpt_entries[256 + second].check != SOFTPT_CHECK_OPCODE)
				decode_one(SOFTPT_OPC_PSB, second, left);
	}
}

void encode(void)
{
	uint8_t bytes[SOFTPT_PACKET_MAX];
	struct softpt_packet pkt;
	unsigned int type;
	int size;

	for (type = 0; type < 256; type++) {
		unknown(&pkt, sizeof(pkt));
		pkt.type = type;
		size = softpt_packet_encode(bytes, bytes + sizeof(bytes), &pkt);
		/*@ assert size_is_within: size <= SOFTPT_PACKET_MAX && size != 0; */
	}
}
