// SPDX-License-Identifier: BSD-2-Clause
/* Which signals of a capture are the pins of a trace port, and its clock */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "../cli/tool.h"

/* As figure 1 has them: bit 0 is the highest. Each as one signal, or bit by bit. */
static const struct {
	const char *name;
	unsigned int bits, shift;
} usual[] = {
	{ "ES", 3, 4 }, { "ES0", 1, 6 }, { "ES1", 1, 5 }, { "ES2", 1, 4 },
	{ "TS", 4, 0 }, { "TS0", 1, 3 }, { "TS1", 1, 2 }, { "TS2", 1, 1 }, { "TS3", 1, 0 },
};

static const char *add(struct capture *c, const char *name, size_t len, unsigned int bits)
{
	struct capture_signal *s = &c->signal[c->signals];

	if (!len || len >= CAPTURE_NAME)
		return "an empty name, or one that is too long";
	if (c->signals == CAPTURE_SIGNALS)
		return "more than seven names";
	*s = (struct capture_signal){ .bits = bits };
	memcpy(s->name, name, len);
	c->signals++;
	return NULL;
}

static const char *add_pins(struct capture *c)
{
	const char *p = c->pins, *why = NULL;
	unsigned int i;

	if (!p) {
		for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
			why = add(c, usual[i].name, strlen(usual[i].name), usual[i].bits);
			c->signal[i].shift = usual[i].shift;
		}
		return why;
	}
	while (!why) {
		size_t n = strcspn(p, ",");

		if (c->signals == CAPTURE_PINS)
			return "more than seven names";
		why = add(c, p, n, 0);
		p += n;
		if (!*p++)
			break;
	}
	return why;
}

const char *capture_names(struct capture *c)
{
	const char *why = add_pins(c);

	c->level = -1;
	if (!why && c->clock)
		why = add(c, c->clock, strlen(c->clock), 1);
	return why;
}

static bool is_clock(const struct capture *c, unsigned int i)
{
	return c->clock && i == c->signals - 1;
}

int capture_declare(struct capture *c, const char *name, const char *path, unsigned int bits,
		    int same)
{
	unsigned int i;

	for (i = 0; i < c->signals; i++) {
		struct capture_signal *s = &c->signal[i];

		if (strcasecmp(s->name, name) && (!path || strcasecmp(s->name, path)))
			continue;
		if (s->found && same == (int)i)
			return i;
		if (s->found) {
			capture_refuse(c, "two signals are named %s: name it with its scope",
				       s->name);
			return -2;
		}
		if ((s->bits && bits && s->bits != bits) || bits > CAPTURE_PINS) {
			capture_refuse(c, "%s has %u bits", s->name, bits);
			return -2;
		}
		s->bits = bits ? bits : s->bits ? s->bits : 1;
		s->found = true;
		return i;
	}
	return -1;
}

/* ES as one, or all of ES0 to ES2; if both are there, as one. */
static bool choose(struct capture *c, unsigned int whole, unsigned int n)
{
	unsigned int i;
	bool all = true;

	for (i = whole + 1; i <= whole + n; i++) {
		all = all && c->signal[i].found;
		if (c->signal[whole].found)
			c->signal[i].bits = 0;
	}
	if (!c->signal[whole].found)
		c->signal[whole].bits = 0;
	return c->signal[whole].found || all;
}

/* From the highest bit down */
static unsigned int place(struct capture *c)
{
	unsigned int i, all = 0, at = 0;

	for (i = 0; i < c->signals; i++)
		if (!is_clock(c, i))
			all += c->signal[i].bits;
	for (i = 0; i < c->signals && all == CAPTURE_PINS; i++) {
		at += c->signal[i].bits;
		c->signal[i].shift = all - at;
	}
	return all;
}

int capture_declared(struct capture *c)
{
	unsigned int i;

	if (c->clock && !c->signal[c->signals - 1].found)
		return refuse(c->lines.name, "no signal is named %s", c->clock);
	if (!c->pins) {
		if (choose(c, 0, 3) && choose(c, 4, 4))
			return 0;
		return refuse(c->lines.name,
			      "no signals ES and TS, nor ES0 to ES2 and TS0 to TS3: --pins names them");
	}
	for (i = 0; i < c->signals; i++)
		if (!c->signal[i].found)
			return refuse(c->lines.name, "no signal is named %s", c->signal[i].name);
	i = place(c);
	if (i != CAPTURE_PINS)
		return refuse(c->lines.name,
			      "--pins: these signals have %u bits, and there are seven pins", i);
	return 0;
}
