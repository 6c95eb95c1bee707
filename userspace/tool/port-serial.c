// SPDX-License-Identifier: BSD-2-Clause
/* The port's FIFO, how it goes out on the TS pins, and symbols as bytes */
#include <string.h>

#include "port.h"

#define NIL	0xff	/* no symbol yet */

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

/* ---- bytes ---- */

static void put(struct port *p, const void *bytes, size_t len)
{
	if (!p->err)
		p->err = p->buffer ? port_buffer_put(p->buffer, bytes, len) :
			 p->put(p->context, bytes, len);
}

void port_flush(struct port *p)
{
	uint8_t buf[16];
	size_t len = 0;

	if (!p->run)
		return;
	buf[len++] = p->symbol;
	for (p->run--; p->run; p->run >>= 7)
		buf[len++] = SOFTPT_PORT_RUN | (p->run & 0x7f);
	p->symbol = NIL;
	put(p, buf, len);
}

/* Only where nothing happens are symbols joined, so that each of the others is a byte. */
static bool is_idle(uint8_t symbol)
{
	return symbol == SOFTPT_TS_NONE || symbol == SOFTPT_TS_WAIT || symbol == SOFTPT_TS_STOP;
}

void port_write(struct port *p, uint8_t es, uint8_t ts, uint64_t n)
{
	uint8_t symbol = es << 4 | ts;

	if (!p->run || symbol != p->symbol || !is_idle(symbol))
		port_flush(p);
	p->symbol = symbol;
	p->run += n;
	p->counts.clocks += n;
}

void port_init(struct port *p, const struct softpt_port_config *cfg, port_put out, void *context)
{
	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	p->serial.size = cfg->fifo;
	p->put = out;
	p->context = context;
	p->symbol = NIL;
}
