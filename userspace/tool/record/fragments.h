/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --trigger SPEC,rearm: a file for each trigger event of one run */
#ifndef SOFTPT_TOOL_RECORD_FRAGMENTS_H
#define SOFTPT_TOOL_RECORD_FRAGMENTS_H

#include "trigger.h"

struct fragments {
	const struct record_trigger *trigger;
	struct units *units;
	struct sideband *sideband;
	struct softpt_perf_writer *writer;	/* of the first file, @path */
	const char *path;
	int session;
	uint64_t *told;		/* of each unit, the head at its last trigger event in a file */
	unsigned int n;		/* files */
	bool over;		/* there will be no more */
};

/* All but the last three are set, nothing is recorded yet. Return: 0 or -ENOMEM */
int fragments_begin(struct fragments *f);

/*
 * Once all rings are frozen, or at their end: what they hold becomes the next file, and
 * they run on; the program never stops. Return: 0, or EXIT_REFUSED after a message.
 */
int fragments_drain(struct fragments *f, uint64_t tsc);

void fragments_end(struct fragments *f);

#endif /* SOFTPT_TOOL_RECORD_FRAGMENTS_H */
