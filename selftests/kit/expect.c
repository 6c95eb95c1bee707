// SPDX-License-Identifier: BSD-2-Clause
/* Many random events, and what the engine, in this process, makes of them */
#include "kit.h"

#include <stdlib.h>

#include "kmod/engine/engine.h"

struct softpt_event *kit_events(uint64_t seed, size_t n)
{
	struct softpt_event *ev = calloc(n, sizeof(*ev));
	uint64_t tsc = seed % 1000;
	size_t i;

	if (!ev)
		kit_bail("memory for %zu events", n);
	ev[0] = (struct softpt_event){ .tsc = tsc, .kind = SOFTPT_EV_ENABLE, .ip = 0x400000 };
	for (i = 1; i < n; i++)
		kit_event(&seed, &tsc, &ev[i]);
	return ev;
}

struct bytes {
	uint8_t *base;
	size_t length;
	size_t room;
};

/* At least one window of room */
static struct softpt_sink window(struct bytes *b)
{
	const size_t least = 64 * 1024;
	struct softpt_sink sink;

	if (b->room - b->length < least) {
		b->room = 2 * b->room + least;
		b->base = realloc(b->base, b->room);
		if (!b->base)
			kit_bail("memory for %zu bytes of trace", b->room);
	}
	sink.cur = b->base + b->length;
	sink.end = b->base + b->room;
	return sink;
}

static int give(struct softpt_engine *e, const struct softpt_event *ev, struct bytes *b)
{
	struct softpt_sink sink = window(b);
	int ret = ev ? softpt_engine_event(e, ev, &sink) : softpt_engine_flush(e, &sink);

	b->length = sink.cur - b->base;
	return ret;
}

uint8_t *kit_expect(const struct softpt_config *config, const struct softpt_event *ev, size_t n,
		    struct softpt_counts *counts)
{
	struct softpt_engine engine;
	struct bytes b = { 0 };
	const char *why;
	size_t i;

	softpt_engine_init(&engine, config);
	for (i = 0; i < n; i++) {
		if (softpt_engine_check(&engine, &ev[i], &why))
			kit_bail("event %zu of a test is refused: %s", i, why);
		while (give(&engine, &ev[i], &b))
			;
	}
	while (give(&engine, NULL, &b))
		;
	*counts = engine.counts;
	return b.base;
}
