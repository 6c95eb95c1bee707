/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt sim --counters: counters of the engine in this process, as they are at each instant */
#ifndef SOFTPT_SIM_COUNTERS_H
#define SOFTPT_SIM_COUNTERS_H

#include "counters/run.h"
#include "sim/sim.h"

/* Samples that may lie between two events */
#define SAMPLES_MAX	(1u << 20)

/* @set and @interval as given, @file where the rows go or NULL, all else zero */
struct sim_counters {
	struct counters set;
	uint64_t interval;	/* TSC ticks between samples, 0: none but the last */
	FILE *file;
	bool header;		/* is written */
	bool began;
	uint64_t next;		/* when the next sample is due */
	unsigned int step;	/* what of @set is to be done next */
};

/* Set the registers of a plan, and let counters of it count from here on */
void counters_start(struct sim *s, const struct softpt_plan *plan, uint32_t start);

/**
 * sim_counters_pass() - take the samples and do what is due up to a time, before its events
 * @c: the counters
 * @s: the unit
 * @tsc: of the next event
 * @why: set to what is wrong
 *
 * Return: 0; -EBUSY: a counter that runs was to be preset; -EFBIG: too many samples.
 */
int sim_counters_pass(struct sim_counters *c, struct sim *s, uint64_t tsc, const char **why);

/* The input is over: the last rows */
void sim_counters_end(struct sim_counters *c, struct sim *s);

#endif /* SOFTPT_SIM_COUNTERS_H */
