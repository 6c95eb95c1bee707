// SPDX-License-Identifier: BSD-2-Clause
/* The trace port's files: a header, then a byte for each symbol, and runs */
#include <errno.h>
#include <string.h>

#include <softpt/port.h>

#define RUN_DIGITS	9	/* 63 bits */

/* ---- header ---- */

static void put_le(uint8_t *to, uint64_t v, unsigned int bytes)
{
	while (bytes--) {
		*to++ = v;
		v >>= 8;
	}
}

static uint64_t get_le(const uint8_t *from, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | from[bytes];
	return v;
}

/* magic, version, bytes of the header, first clock, SE period, entries of the FIFO */
void softpt_port_header(uint8_t header[SOFTPT_PORT_HEADER], const struct softpt_port_config *cfg,
			uint64_t clock)
{
	memcpy(header, SOFTPT_PORT_MAGIC, 8);
	put_le(header + 8, SOFTPT_PORT_VERSION, 4);
	put_le(header + 12, SOFTPT_PORT_HEADER, 4);
	put_le(header + 16, clock, 8);
	put_le(header + 24, cfg->se_period, 4);
	put_le(header + 28, cfg->fifo, 4);
}

bool softpt_port_detect(const void *file, size_t len)
{
	return len >= 8 && !memcmp(file, SOFTPT_PORT_MAGIC, 8);
}

/* ---- symbols ---- */

static bool is_idle(uint8_t symbol)
{
	return symbol == SOFTPT_TS_NONE || symbol == SOFTPT_TS_WAIT || symbol == SOFTPT_TS_STOP;
}

/* Return: bytes of the symbol at @at and its run; 0: damaged */
static size_t read_symbol(const uint8_t *buf, size_t len, size_t at, uint64_t *count)
{
	size_t i = at + 1;

	*count = 1;
	if (buf[at] & SOFTPT_PORT_RUN)
		return 0;
	for (; i < len && buf[i] & SOFTPT_PORT_RUN; i++) {
		if (i - at > RUN_DIGITS || !is_idle(buf[at]))
			return 0;
		*count += (uint64_t)(buf[i] & 0x7f) << 7 * (i - at - 1);
	}
	return i - at;
}

int softpt_port_open(struct softpt_port *port, const void *file, size_t len, uint64_t *offset)
{
	const uint8_t *f = file;
	uint64_t count;
	size_t at, n;

	*offset = 0;
	*port = (struct softpt_port){ 0 };
	if (!softpt_port_detect(file, len))
		return -SOFTPT_ERR_ENCODING;
	if (len < SOFTPT_PORT_HEADER)
		return -SOFTPT_ERR_TRUNCATED;
	*offset = 8;
	if (get_le(f + 8, 4) != SOFTPT_PORT_VERSION || get_le(f + 12, 4) != SOFTPT_PORT_HEADER)
		return -EOPNOTSUPP;
	port->buf = f + SOFTPT_PORT_HEADER;
	port->len = len - SOFTPT_PORT_HEADER;
	port->clock = get_le(f + 16, 8);
	port->end = port->clock;
	port->cfg.se_period = get_le(f + 24, 4);
	port->cfg.fifo = get_le(f + 28, 4);
	for (at = 0; at < port->len; at += n) {
		*offset = SOFTPT_PORT_HEADER + at;
		n = read_symbol(port->buf, port->len, at, &count);
		if (!n || __builtin_add_overflow(port->end, count, &port->end))
			return -SOFTPT_ERR_ENCODING;
	}
	return 0;
}

bool softpt_port_next(const struct softpt_port *port, struct softpt_port_symbol *s)
{
	size_t at = s->next, n;
	uint64_t clock = s->count ? s->clock + s->count : port->clock;

	if (at >= port->len)
		return false;
	n = read_symbol(port->buf, port->len, at, &s->count);
	if (!n)
		return false;
	s->clock = clock;
	s->es = port->buf[at] >> 4;
	s->ts = port->buf[at] & 0xf;
	s->next = at + n;
	return true;
}

void softpt_port_window(const struct softpt_port *port, uint64_t from, uint64_t to,
			struct softpt_port *window)
{
	struct softpt_port_symbol s = { 0 };
	size_t begin = port->len, end = port->len, at = 0;

	*window = *port;
	window->clock = port->end;
	while (softpt_port_next(port, &s)) {
		if (s.clock >= from && begin == port->len) {
			begin = at;
			window->clock = s.clock;
		}
		if (s.clock + s.count > to) {
			end = at;
			window->end = s.clock;
			break;
		}
		at = s.next;
	}
	if (begin >= end) {
		begin = end;
		window->clock = window->end;
	}
	window->buf = port->buf + begin;
	window->len = end - begin;
}
