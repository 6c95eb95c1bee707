// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: any bytes, packet by packet, read by libsoftpt and by libipt. Both say the same, or
 * differ for a reason listed in ../oracle/facts.h; and what was read, encoded and read again, is
 * the same packet.
 */
#include <stdlib.h>

#include "selftests/host/oracle/facts.h"
#include "fuzz.h"

/* Numbers may be written in more bytes than they need: the size alone may change. */
static void encode_again(const uint8_t *pos, const uint8_t *end)
{
	uint8_t buf[2 * SOFTPT_PACKET_MAX];
	struct softpt_packet first, again;
	char text[SOFTPT_PACKET_TEXT];
	struct fact a, b;
	int size;

	softpt_packet_decode(pos, end, &first);
	if (softpt_packet_print(text, sizeof(text), 0, &first) <= 0)
		abort();
	size = softpt_packet_encode(buf, buf + sizeof(buf), &first);
	if (size == -SOFTPT_ERR_OPCODE)
		return;		/* a block */
	if (size <= 0 || softpt_packet_decode(buf, buf + size, &again) != size)
		abort();
	a = fact_ours(&first, 0);
	b = fact_ours(&again, 0);
	if (!fact_same(&a, &b))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *pos = data, *end = data + size;
	struct pt_packet_decoder *dec;
	struct pt_config config;
	int ours, theirs;

	pt_config_init(&config);
	config.begin = (uint8_t *)data;
	config.end = (uint8_t *)end;
	dec = pt_pkt_alloc_decoder(&config);
	if (!dec)
		return 0;
	while (pos < end) {
		if (fact_compare(dec, data, pos, end, &ours, &theirs) == FACT_DIFFER)
			abort();
		if (ours > 0)
			encode_again(pos, end);
		pos += ours > 0 ? ours : 1;
	}
	pt_pkt_free_decoder(dec);
	return 0;
}
