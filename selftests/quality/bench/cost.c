// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events for the engine, to be counted by callgrind: cost dense|cyc|sparse|pmu [RUNNING].
 * RUNNING counters count, the first of them what pmu events are. Also builds with an engine
 * that has no counters.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "kmod/engine/engine.h"

#define EVENTS	100000

static uint64_t state = 1;
static struct softpt_engine e;
static struct softpt_event ev[EVENTS];
static uint8_t bytes[1 << 20];

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

/* Branches as compiled code has them, or pmu events only */
static void fill(bool pmu, uint32_t gap)
{
	uint64_t tsc = 1000000;
	unsigned int i, kind;

	for (i = 0; i < EVENTS; i++) {
		tsc += below(gap);
		ev[i].tsc = tsc;
		ev[i].ip = 0x401000 + below(1 << 16);
		ev[i].target = 0x401000 + below(1 << 16);
		kind = below(100);
		if (!i) {
			ev[i].kind = SOFTPT_EV_ENABLE;
		} else if (pmu) {
			ev[i].kind = SOFTPT_EV_PMU;
			ev[i].arg = 1;
			ev[i].arg2 = 3 | 1 << 16;
		} else if (kind < 80) {
			ev[i].kind = SOFTPT_EV_JCC;
			ev[i].flags = below(2) ? SOFTPT_EVF_TAKEN : 0;
		} else if (kind < 90) {
			ev[i].kind = SOFTPT_EV_CALL;
			ev[i].len = 5;
		} else if (kind < 98) {
			ev[i].kind = SOFTPT_EV_RET;
		} else {
			ev[i].kind = SOFTPT_EV_IJMP;
		}
	}
}

#ifdef SOFTPT_COUNTERS
/* Counter 4 for memory reads, the others for what does not happen */
static void count(unsigned int running)
{
	static const uint8_t classes[SOFTPT_COUNTERS] = {
		3, 4, 5, 6, 0, 1, 2, 24, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21,
	};
	static const uint8_t counters[SOFTPT_COUNTERS] = {
		4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
	};
	struct softpt_count_args args = { 0 };
	const char *why;
	unsigned int i;

	for (i = 0; i < running && i < SOFTPT_COUNTERS; i++) {
		struct softpt_escr escr = {
			.index = 2 * softpt_subarea_of_class(classes[i]) + (classes[i] == 24),
			.event_class = classes[i], .mask = 0xffff, .usr = -1, .os = -1,
		};
		struct softpt_counter counter = { .index = counters[i], .escr = escr.index };

		if (softpt_set_escr(&e.counters, &escr, &why) ||
		    softpt_set_counter(&e.counters, &counter, &why))
			exit(1);
		args.start |= 1u << counters[i];
	}
	softpt_count_control(&e, 0, &args);
}
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "dense";
	struct softpt_config cfg;
	unsigned int i;

	softpt_config_default(&cfg);
	if (!strcmp(what, "cyc"))
		cfg.flags |= SOFTPT_F_CYC;
	softpt_engine_init(&e, &cfg);
#ifdef SOFTPT_COUNTERS
	count(argc > 2 ? atoi(argv[2]) : 0);
#endif
	fill(!strcmp(what, "pmu"), strcmp(what, "sparse") ? 40 : 4000);
	for (i = 0; i < EVENTS; i++) {
		struct softpt_sink s = { bytes, bytes + sizeof(bytes) };

		while (softpt_engine_event(&e, &ev[i], &s))
			s.cur = bytes;
	}
	return 0;
}
