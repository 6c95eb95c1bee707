/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of translated threads become a trace for each of them */
#ifndef SOFTPT_TOOL_RECORD_TAKE_H
#define SOFTPT_TOOL_RECORD_TAKE_H

#include "flight.h"
#include "job.h"
#include "members.h"
#include "rate.h"

struct translation {
	const struct record_job *job;
	struct members all;
	struct target target;
	struct sideband *sideband;
	unsigned int *cpus;
	unsigned int nr_cpus;
	struct softpt_perf_writer *writer;
	struct softpt_perf_setup setup;
	struct softpt_config cfg;
	struct softpt_counts counts;
	uint64_t branches;
	int file;
	bool is_new;
	uint64_t drained;
	uint64_t flushed;
	struct {
		uint64_t tsc;
		double seconds;
	} begun;
	struct rate rate;
	struct flight flight;
	uint64_t history;	/* bytes of packets when it was over */
	bool replays;		/* what is taken was skimmed before */
};

static inline bool is_model(const struct translation *t)
{
	return t->cfg.clock == SOFTPT_CLOCK_MODEL;
}

/* For struct members: records as they come, records that are held, and a thread that is gone */
void take_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		  const uint32_t *to);
void skim_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		  const uint32_t *to);
void take_end(void *ctx, struct slot *s);

/* The unit ends, if there is one. */
void take_end_unit(struct translation *t, struct xl_unit *u, uint64_t tsc);

/* What the kernel has told of mappings and names. An error is latched. */
void take_sideband(struct translation *t);

#endif /* SOFTPT_TOOL_RECORD_TAKE_H */
