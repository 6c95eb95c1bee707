/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording of a translated program */
#ifndef SOFTPT_TOOL_RECORD_TRANSLATION_H
#define SOFTPT_TOOL_RECORD_TRANSLATION_H

#include <string.h>

#include "flight/flight.h"
#include "job.h"
#include "kernel/kernel.h"
#include "members.h"
#include "rate.h"
#include "takeover/takeover.h"

struct translation {
	struct record_job *job;
	struct members all;
	struct target target;
	struct sideband *sideband;
	struct kernel_side kernel;
	unsigned int *cpus;
	unsigned int nr_cpus;
	struct softpt_perf_writer *writer;
	struct softpt_perf_setup setup;
	struct softpt_config cfg;
	struct softpt_counts counts;
	uint64_t branches;
	struct xl_calls calls;	/* of functions that are waited for */
	uint64_t slower;	/* TSC ticks of those that are kept, at least */
	int file;
	bool is_new;
	uint64_t drained;
	uint64_t flushed;
	struct {
		uint64_t tsc;
		double seconds;
	} begun;
	struct rate rate;
	struct takeover takeover;
	pid_t taken;		/* a process that is taken over; 0: none */
	bool launched;		/* before its first instruction: it is the target */
	struct flight flight;
	bool skims;		/* a flight recorder: what is taken was skimmed before */
	bool replays;		/* what is taken was held until now */
	unsigned int files;	/* that are written, of a flight recorder */
};

static inline bool is_model(const struct translation *t)
{
	return t->cfg.clock == SOFTPT_CLOCK_MODEL;
}

static inline uint64_t record_time(const struct translation *t, uint64_t tsc)
{
	return t->setup.time_zero +
		(uint64_t)((__uint128_t)tsc * t->setup.time_mult >> t->setup.time_shift);
}

#define ESCAPE_WORDS	(sizeof(struct softpt_xl_escape) / sizeof(uint32_t))

/* Return: whether there is an escape at @from, whole */
static inline bool escape_at(const uint32_t *from, const uint32_t *to, struct softpt_xl_escape *e)
{
	if (*from != SOFTPT_XL_ESCAPE || (size_t)(to - from) < ESCAPE_WORDS)
		return false;
	memcpy(e, from, sizeof(*e));
	return true;
}

#endif /* SOFTPT_TOOL_RECORD_TRANSLATION_H */
