/* SPDX-License-Identifier: BSD-2-Clause */
/* Random configurations and events, through the engine and the library in one process */
#ifndef SOFTPT_SELFTESTS_SCENE_H
#define SOFTPT_SELFTESTS_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "userspace/lib/sim/sim.h"

/**
 * struct scene - what a seed makes
 * @seed: which
 * @events: how many
 * @cfg: the configuration
 * @live: a live unit's, which heals gaps
 * @stops: events so far behind which the cycle counter need not tell all cycles
 * @verbose: print all of it
 * @sim: while it runs
 */
struct scene {
	uint64_t seed;
	uint64_t events;
	struct softpt_config cfg;
	bool live;
	uint64_t stops;
	bool verbose;
	struct sim *sim;
};

/* The next number that the scene's seed gives */
uint64_t scene_random(void);

/*
 * Its configuration, and how many events: @least, and up to @more of them more. Return: false
 * after a message
 */
bool scene_init(struct scene *s, uint64_t seed, uint64_t least, uint64_t more);

/* Return: whether all went through, else after a message. Either way scene_free() follows. */
bool scene_run(struct scene *s, const struct sim_output *out);
void scene_free(struct scene *s);

#endif /* SOFTPT_SELFTESTS_SCENE_H */
