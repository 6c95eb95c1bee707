// SPDX-License-Identifier: BSD-2-Clause
/* What counting costs the engine: the same pmu events, counted or not */
#include <stdlib.h>

#include "../../../kmod/engine/engine.h"
#include "bench.h"

static size_t take(const struct bench *b, bool counted)
{
	const struct softpt_escr escr = { .index = 2 * SOFTPT_CLASS_MEM, .mask = 1, .usr = -1,
					  .event_class = SOFTPT_CLASS_MEM };
	const struct softpt_counter counter = { .index = 4, .escr = escr.index };
	const struct softpt_count_args start = { .start = counted << 4 };
	static struct softpt_engine e;
	uint8_t bytes[2 * SOFTPT_GROUP_MAX];
	const char *why;
	size_t i;

	softpt_engine_init(&e, &b->cfg);
	softpt_set_escr(&e.counters, &escr, &why);
	softpt_set_counter(&e.counters, &counter, &why);
	softpt_count_control(&e, 0, &start);
	for (i = 0; i < b->events; i++) {
		struct softpt_sink s = { bytes, bytes + sizeof(bytes) };

		if (softpt_engine_event(&e, &b->ev[i], &s))
			return 0;
	}
	return counted ? e.counters.value[4] : b->events;
}

size_t bench_count(const struct bench *b)
{
	return take(b, true);
}

size_t bench_count_off(const struct bench *b)
{
	return take(b, false);
}

void bench_count_fill(struct bench *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		b->ev[i] = (struct softpt_event){
			.kind = SOFTPT_EV_PMU,
			.tsc = i,
			.arg = 1,
			.arg2 = SOFTPT_CLASS_MEM | 1 << 16,
		};
	b->events = n;
}
