// SPDX-License-Identifier: BSD-2-Clause
/* When a clock is in what a logic analyser saw, and the symbols of these clocks */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "sim/port-clock.h"
#include "../cli/tool.h"

#define CLOCKS_MAX	(1ull << 62)
#define SAME_MAX	65536	/* clocks in which the same executes or is sent */

int capture_refuse(const struct capture *c, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return refuse(c->lines.name, "line %" PRIu64 ": %s", c->lines.number, text);
}

static bool is_idle(uint8_t symbol)
{
	return symbol == SOFTPT_TS_NONE || symbol == SOFTPT_TS_WAIT || symbol == SOFTPT_TS_STOP;
}

static void begin(struct capture *c)
{
	uint8_t header[SOFTPT_PORT_HEADER];

	softpt_port_header(header, &c->port.cfg, c->clocks);
	c->port.err = c->port.put(c->port.context, header, sizeof(header));
	c->port.began = true;
}

/* A run is of clocks in which nothing happens. */
static void write_symbols(struct capture *c, uint8_t symbol, uint64_t n)
{
	uint64_t one = is_idle(symbol) ? n : 1;

	for (; n; n -= one)
		port_write(&c->port, symbol >> 4, symbol & 0xf, one);
}

/* @n clocks in which the pins are so. Before the first in which all are known there is no trace. */
static int clocks(struct capture *c, uint8_t symbol, const char *unknown, uint64_t n)
{
	if (unknown && c->port.began)
		return capture_refuse(c, "%s is neither 0 nor 1 in clock %" PRIu64, unknown,
				      c->clocks);
	if (!unknown && !is_idle(symbol) && n > SAME_MAX)
		return capture_refuse(c, "the pins say the same for %" PRIu64
				      " clocks: --clock or --period is not right", n);
	if (n > CLOCKS_MAX - c->clocks)
		return capture_refuse(c, "this is 2^62 clocks or more behind the first");
	if (!unknown && !c->port.began)
		begin(c);
	c->clocks += n;
	if (!unknown)
		write_symbols(c, symbol, n);
	return c->port.err ? refuse("-o", "%s", strerror(-c->port.err)) : 0;
}

static void look(struct capture *c)
{
	unsigned int i, pins = c->signals - !!c->clock;

	c->now.symbol = 0;
	c->now.unknown = NULL;
	for (i = 0; i < pins; i++) {
		const struct capture_signal *s = &c->signal[i];

		if (!s->bits)
			continue;
		c->now.symbol |= s->value << s->shift;
		if (!s->known)
			c->now.unknown = s->name;
	}
}

static bool is_edge(const struct capture *c, int level)
{
	if (c->level < 0 || level < 0 || c->level == level)
		return false;
	return c->edge == CAPTURE_BOTH || c->edge == (level ? CAPTURE_RISING : CAPTURE_FALLING);
}

static int sample_edge(struct capture *c)
{
	const struct capture_signal *s = &c->signal[c->signals - 1];
	int level = s->known ? s->value : -1, err = 0;

	if (is_edge(c, level))
		err = c->before ? clocks(c, c->last.symbol, c->last.unknown, 1) :
		      clocks(c, c->now.symbol, c->now.unknown, 1);
	c->level = level;
	c->last = c->now;
	return err;
}

int capture_sample(struct capture *c)
{
	look(c);
	if (c->clock)
		return sample_edge(c);
	return c->period ? 0 : clocks(c, c->now.symbol, c->now.unknown, 1);
}

/* The clocks that begin before @time, if they are by time */
static int pass(struct capture *c, int64_t time)
{
	uint64_t n, step, most = (uint64_t)INT64_MAX - c->next;

	if (!c->period || c->next >= time)
		return 0;
	n = ((uint64_t)time - c->next - 1) / c->period + 1;
	if (__builtin_mul_overflow(n, (uint64_t)c->period, &step) || step > most)
		return capture_refuse(c, "the time is too long");
	c->next += step;
	return clocks(c, c->now.symbol, c->now.unknown, n);
}

int capture_time(struct capture *c, int64_t time)
{
	int err = 0;

	if (c->timed && time < c->time)
		return capture_refuse(c, "time goes back");
	if (c->timed)
		err = pass(c, time);
	else
		c->next = time;
	c->timed = true;
	c->time = time;
	return err;
}

int capture_end(struct capture *c, bool more)
{
	int err = 0;

	if (more && c->timed && c->time < INT64_MAX)
		err = pass(c, c->time + 1);
	if (err)
		return err;
	port_flush(&c->port);
	if (c->port.err)
		return refuse("-o", "%s", strerror(-c->port.err));
	return c->port.began ? 0 : refuse(c->lines.name, "no clock in which all pins are 0 or 1");
}
