// SPDX-License-Identifier: BSD-2-Clause
/* Packet encoder: what the decoder reads from random bytes, it reads again when written */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/include/softpt/softpt.h"
#include "selftests/kit/kit.h"

#define TRIES 2000000

static uint64_t state = 1;

static uint8_t rnd(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 56;
}

/* A buffer that often begins as a packet does */
static void fill(uint8_t *buf)
{
	static const uint8_t first[] = {
#define X(id, name, opc, ext, size, flags) opc,
		SOFTPT_PACKETS(X)
#undef X
	};
	static const uint16_t second[] = {
#define X(id, name, opc, ext, size, flags) ext,
		SOFTPT_PACKETS(X)
#undef X
	};
	unsigned int i, pick = rnd() % sizeof(first);

	for (i = 0; i < SOFTPT_PACKET_MAX; i++)
		buf[i] = rnd();
	if (rnd() & 1)
		return;
	buf[0] = first[pick] | (rnd() & 0xe0 & (rnd() & 1 ? 0xff : 0));
	if (second[pick] != SOFTPT_PKT_NONE)
		buf[1] = second[pick];
	if (second[pick] == SOFTPT_EXT_PSB)
		for (i = 0; i < SOFTPT_PACKET_MAX; i++)
			buf[i] = i & 1 ? SOFTPT_EXT_PSB : SOFTPT_OPC_PSB;
	if (second[pick] == SOFTPT_EXT_MNT)
		buf[2] = SOFTPT_MNT_EXT2;
	if (second[pick] == SOFTPT_EXT_TMA) {
		buf[4] = 0;
		buf[6] = 0;
	}
}

static bool same(const struct softpt_packet *a, const struct softpt_packet *b)
{
	/* CYC may be written with more bytes than it needs. */
	return a->type == b->type && a->payload == b->payload && a->payload2 == b->payload2 &&
	       a->ipbytes == b->ipbytes && a->count == b->count && a->flags == b->flags &&
	       (a->size == b->size || a->type == SOFTPT_PKT_CYC);
}

static void round_trip(void)
{
	unsigned int i, type, tested = 0;
	uint64_t seen[SOFTPT_PKT_NR] = { 0 }, wrong[SOFTPT_PKT_NR] = { 0 };

	for (i = 0; i < TRIES; i++) {
		uint8_t in[SOFTPT_PACKET_MAX], out[SOFTPT_PACKET_MAX];
		struct softpt_packet a, b;
		int size;

		fill(in);
		if (softpt_packet_decode(in, in + sizeof(in), &a) < 0)
			continue;
		seen[a.type]++;
		size = softpt_packet_encode(out, out + sizeof(out), &a);
		if (size < 0 || softpt_packet_decode(out, out + sizeof(out), &b) != size ||
		    !same(&a, &b))
			wrong[a.type]++;
	}
	for (type = 0; type < SOFTPT_PKT_NR; type++) {
		if (type == SOFTPT_PKT_BBP || type == SOFTPT_PKT_BIP || type == SOFTPT_PKT_BEP)
			continue;	/* not written */
		kit_ok(seen[type] && !wrong[type], "%s: %llu written and read again",
		       softpt_packet_name(type), (unsigned long long)seen[type]);
		tested++;
	}
	kit_ok(tested > 20, "every type had its turn");
}

static void refused(void)
{
	uint8_t buf[SOFTPT_PACKET_MAX];
	const struct {
		const char *name;
		struct softpt_packet pkt;
		int err;
	} rows[] = {
		{ "no such type", { .type = SOFTPT_PKT_NR }, -SOFTPT_ERR_OPCODE },
		{ "IPBytes 5", { .type = SOFTPT_PKT_TIP, .ipbytes = 5 }, -SOFTPT_ERR_ENCODING },
		{ "TNT without bits", { .type = SOFTPT_PKT_TNT64 }, -SOFTPT_ERR_ENCODING },
		{ "TNT.8 of 7 bits", { .type = SOFTPT_PKT_TNT8, .count = 7 },
		  -SOFTPT_ERR_ENCODING },
		{ "MTC of 9 bits", { .type = SOFTPT_PKT_MTC, .payload = 256 },
		  -SOFTPT_ERR_ENCODING },
		{ "TSC of 57 bits", { .type = SOFTPT_PKT_TSC, .payload = 1ull << 56 },
		  -SOFTPT_ERR_ENCODING },
		{ "CTC of 17 bits", { .type = SOFTPT_PKT_TMA, .payload = 0x10000 },
		  -SOFTPT_ERR_ENCODING },
		{ "FastCounter of 10 bits", { .type = SOFTPT_PKT_TMA, .payload2 = 0x200 },
		  -SOFTPT_ERR_ENCODING },
		{ "CYC of 62 bits", { .type = SOFTPT_PKT_CYC, .payload = 1ull << 61 },
		  -SOFTPT_ERR_ENCODING },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		kit_ok(softpt_packet_encode(buf, buf + sizeof(buf), &rows[i].pkt) == rows[i].err,
		       "refused: %s", rows[i].name);
	kit_ok(softpt_packet_encode(buf, buf + sizeof(buf) - 1, &rows[1].pkt) == -SOFTPT_ERR_END,
	       "refused: no room");
}

int main(void)
{
	round_trip();
	refused();
	return kit_done();
}
