// SPDX-License-Identifier: BSD-2-Clause
/*
 * libipt reads a copy of the packets: PADs are in the places of those that it does not know. Their
 * FUP stays, for IPs behind it are relative to it. It becomes that of an EXSTOP, which moves
 * nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/packets.h"

/* Whether the packet before @s has a FUP of its own */
static bool has_fup(const struct softpt_stream *s, const struct softpt_packet *packet)
{
	struct softpt_stream ahead = *s;
	unsigned int behind;

	if (!(packet->flags & SOFTPT_PKT_IP) || flow_next_type(&ahead) != SOFTPT_PKT_FUP)
		return false;
	if (packet->type != SOFTPT_PKT_CFE || !flow_is_async(packet->payload2))
		return true;
	behind = flow_next_type(&ahead);
	return behind != SOFTPT_PKT_TIP && behind != SOFTPT_PKT_TIP_PGD;
}

static void replace(uint8_t *at, const struct softpt_stream *s, const struct softpt_packet *packet)
{
	memset(at, 0, packet->size);
	if (!has_fup(s, packet))
		return;
	at[0] = SOFTPT_OPC_EXSTOP;
	at[1] = SOFTPT_EXT_EXSTOP | SOFTPT_EXT_IP;
}

/* ---- transactions ---- */

static void end_transaction(struct flow_copy *copy, bool aborted)
{
	while (copy->open < copy->nr)
		copy->tx[copy->open++].aborted = aborted;
}

static bool take_tsx(struct flow_copy *copy, uint64_t offset, unsigned int bits)
{
	struct flow_transaction *more;

	if (!(bits & SOFTPT_MODE_INTX)) {
		end_transaction(copy, bits & SOFTPT_MODE_ABORT);
		return true;
	}
	if (copy->nr == copy->alloc) {
		more = reallocarray(copy->tx, copy->alloc + 256, sizeof(*more));
		if (!more)
			return false;
		copy->tx = more;
		copy->alloc += 256;
	}
	copy->tx[copy->nr++] = (struct flow_transaction){ .offset = offset };
	return true;
}

/* ---- the copy ---- */

static bool take(struct flow_copy *copy, const struct softpt_stream *s,
		 const struct softpt_packet *packet)
{
	uint64_t offset = softpt_stream_offset(s) - packet->size;

	switch (packet->type) {
	case SOFTPT_PKT_TRIG:
	case SOFTPT_PKT_CFE:
	case SOFTPT_PKT_EVD:
	case SOFTPT_PKT_BBP:
	case SOFTPT_PKT_BIP:
	case SOFTPT_PKT_BEP:
		replace(copy->bytes + FLOW_BEFORE + offset, s, packet);
		return true;
	case SOFTPT_PKT_MNT:
		copy->ours |= packet->payload >> 56 == SOFTPT_MNT_MAGIC;
		return true;
	case SOFTPT_PKT_MODE_TSX:
		return take_tsx(copy, offset, packet->payload);
	}
	return true;
}

bool flow_copy_begin(struct flow_copy *copy, const struct input_stream *from)
{
	struct softpt_packet packet;
	struct softpt_stream s;
	bool good = true;

	*copy = (struct flow_copy){ .len = from->len };
	copy->bytes = malloc(FLOW_BEFORE + from->len + 1);
	if (!copy->bytes)
		return false;
	memset(copy->bytes, 0, FLOW_BEFORE);
	memcpy(copy->bytes + FLOW_BEFORE, from->buf, from->len);
	softpt_stream_init(&s, from->buf, from->len);
	while (good && !softpt_sync_forward(&s, 0, NULL)) {
		while (good && softpt_stream_next(&s, &packet) > 0)
			good = take(copy, &s, &packet);
		if (s.pos == s.end)
			break;
		end_transaction(copy, false);
		s.pos++;
	}
	end_transaction(copy, false);
	return good;
}

void flow_copy_end(struct flow_copy *copy)
{
	free(copy->bytes);
	free(copy->tx);
}
