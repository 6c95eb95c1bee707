// SPDX-License-Identifier: BSD-2-Clause
/* The port's FIFO, and how it goes out on the TS pins */
#include "sim/port-send.h"

#include <softpt/port.h>

void port_enter(struct port_serial *s, const struct port_entry *e, uint64_t clock)
{
	s->fifo[(s->head + s->used++) % s->size] = *e;
	s->entered++;
	if (s->used > s->most)
		s->most = s->used;
	if (e->type == PORT_SE_IAR) {
		s->counting = true;
		s->counted_from = clock;
	}
}

/* Three bits of a value of @n slices, the most significant first */
static uint8_t slice(uint32_t value, unsigned int i, unsigned int n)
{
	return SOFTPT_TS_SLICE | (value >> 3 * (n - 1 - i) & 7);
}

static uint8_t code_of(const struct port_entry *e)
{
	static const uint8_t codes[] = {
		[PORT_SE_IAR] = SOFTPT_TS_SE_IAR,
		[PORT_SE_LR] = SOFTPT_TS_SE_LR,
		[PORT_SE_CTR] = SOFTPT_TS_SE_CTR,
	};

	return codes[e->type];
}

/* The code goes out: what the counter says now is sent behind it. */
static void latch(struct port_serial *s, uint64_t clock)
{
	uint64_t offset = clock - s->counted_from;

	s->latched = offset < SOFTPT_PORT_OFFSET_MAX ? offset : SOFTPT_PORT_OFFSET_MAX;
	s->counting = false;
}

uint8_t port_send(struct port_serial *s, uint64_t clock)
{
	const struct port_entry *e = &s->fifo[s->head];
	unsigned int code = e->type != PORT_REGULAR;
	unsigned int extra = e->type == PORT_SE_IAR ? SOFTPT_PORT_OFFSET_SLICES : 0;
	unsigned int i = s->sent;
	uint8_t ts;

	if (!s->used)
		return SOFTPT_TS_NONE;
	if (i < code) {
		ts = code_of(e);
		if (extra)
			latch(s, clock);
	} else if (i < code + extra) {
		ts = slice(s->latched, i - code, extra);
	} else {
		ts = slice(e->value >> 2, i - code - extra, SOFTPT_PORT_SLICES);
	}
	if (++s->sent == code + extra + SOFTPT_PORT_SLICES) {
		s->sent = 0;
		s->head = (s->head + 1) % s->size;
		s->used--;
	}
	return ts;
}
