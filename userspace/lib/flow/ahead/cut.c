// SPDX-License-Identifier: BSD-2-Clause
/* Where streams are cut */
#include <stdbool.h>

#include <softpt/softpt.h>

#include "flow/ahead/cut.h"

/* @s: behind the PSB */
static bool is_whole(struct softpt_stream s, uint64_t *tsc)
{
	bool has_ip = false, has_mode = false, has_time = false;
	struct softpt_packet packet;
	uint64_t ip = 0;

	while (softpt_stream_next(&s, &packet) > 0) {
		if (packet.type == SOFTPT_PKT_PSBEND)
			return has_ip && has_mode && has_time;
		if (packet.type == SOFTPT_PKT_OVF || packet.type == SOFTPT_PKT_PSB)
			return false;
		if (packet.type == SOFTPT_PKT_TSC) {
			has_time = true;
			*tsc = packet.payload;
		}
		has_mode |= packet.type == SOFTPT_PKT_MODE_EXEC;
		if (packet.type == SOFTPT_PKT_FUP)
			has_ip = softpt_ip_update(&ip, &packet);
	}
	return false;
}

void flow_cut_find(const struct input_stream *stream, uint64_t from, struct flow_cut *cut)
{
	struct softpt_packet packet;
	struct softpt_stream s;

	*cut = (struct flow_cut){ .offset = stream->len };
	if (from >= stream->len)
		return;
	softpt_stream_init(&s, stream->buf, stream->len);
	s.pos += from;
	while (!softpt_sync_forward(&s, 0, NULL)) {
		const uint8_t *at = s.pos;

		if (softpt_stream_next(&s, &packet) > 0 && packet.type == SOFTPT_PKT_PSB &&
		    is_whole(s, &cut->tsc)) {
			cut->offset = at - s.begin;
			return;
		}
		if (s.pos == at)
			s.pos++;
	}
}
