// SPDX-License-Identifier: BSD-2-Clause
/* Codes and slices on the TS pins, from anywhere, and the SEs in them */
#include "port/receive.h"

/* The next symbol of the serial broadcast; a TE lies between them. */
static bool next_symbol(struct port_sender *s)
{
	while (softpt_port_next(s->port, &s->at))
		if (s->at.ts != SOFTPT_TS_TE)
			return true;
	s->ended = true;
	return false;
}

/* Return: whether there are @n in all; else @s is at what stands there instead, or ended */
static bool slices(struct port_sender *s, unsigned int have, unsigned int n, uint32_t *v)
{
	for (; have < n; have++) {
		if (!next_symbol(s) || !(s->at.ts & SOFTPT_TS_SLICE))
			return false;
		*v = *v << 3 | (s->at.ts & 7);
	}
	return true;
}

static bool is_code(uint8_t ts)
{
	return ts >= SOFTPT_TS_SE_IAR && ts <= SOFTPT_TS_SE_CTR;
}

/* What begins at the symbol that @s is at. Return: whether it is whole */
static bool whole(struct port_sender *s, struct port_sent *sent)
{
	bool code = is_code(s->at.ts);
	uint32_t v = code ? 0 : s->at.ts & 7;

	*sent = (struct port_sent){
		.code = code ? s->at.ts : SOFTPT_TS_SLICE, .clock = s->at.clock,
	};
	if (s->at.ts == SOFTPT_TS_SE_IAR && !slices(s, 0, SOFTPT_PORT_OFFSET_SLICES, &sent->offset))
		return false;
	if (!slices(s, !code, SOFTPT_PORT_SLICES, &v))
		return false;
	sent->value = v << 2;
	return true;
}

bool port_sender_next(struct port_sender *s, struct port_sent *sent)
{
	bool more = next_symbol(s);
	uint64_t idle = 0;

	while (more) {
		if (!(s->at.ts & SOFTPT_TS_SLICE))
			s->sync = true;
		if (s->at.ts < SOFTPT_TS_TE)
			idle = s->at.clock + s->at.count - 1;
		if (!is_code(s->at.ts) && !(s->sync && s->at.ts & SOFTPT_TS_SLICE)) {
			more = next_symbol(s);
			continue;
		}
		if (whole(s, sent)) {
			sent->idle = idle;
			return true;
		}
		more = !s->ended;
	}
	return false;
}

/* LR and CTR of an SE: the next of their codes, unless another SE comes before */
static void registers(struct port_sender s, struct softpt_port_se *se)
{
	struct port_sent sent;

	while (!(se->has_lr && se->has_ctr) && port_sender_next(&s, &sent)) {
		if (sent.code == SOFTPT_TS_SE_IAR)
			return;
		if (sent.code == SOFTPT_TS_SE_LR && !se->has_lr) {
			se->has_lr = true;
			se->lr = sent.value;
		} else if (sent.code == SOFTPT_TS_SE_CTR && !se->has_ctr) {
			se->has_ctr = true;
			se->ctr = sent.value;
		}
	}
}

int softpt_port_next_se(const struct softpt_port *port, struct softpt_port_symbol *at,
			struct softpt_port_se *se)
{
	struct port_sender s = { .port = port, .at = *at, .sync = at->count };
	struct port_sent sent;

	while (port_sender_next(&s, &sent)) {
		if (sent.code != SOFTPT_TS_SE_IAR)
			continue;
		*at = s.at;
		*se = (struct softpt_port_se){
			.clock = sent.clock > sent.offset ? sent.clock - sent.offset : 0,
			.sent = sent.clock, .offset = sent.offset, .iar = sent.value,
			.behind = s.at,
		};
		registers(s, se);
		return 1;
	}
	return 0;
}
