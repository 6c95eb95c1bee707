/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --trigger: the module's rings freeze, and what they hold is written */
#ifndef SOFTPT_TOOL_RECORD_TRIGGER_H
#define SOFTPT_TOOL_RECORD_TRIGGER_H

#include "record.h"
#include "../cli/trigger.h"
#include "flight/name.h"

/* All zero: none */
struct record_trigger {
	struct triggers set;
	struct names names;
	uint64_t enabled;	/* TSC */
	uint32_t tsc_khz;	/* 0: on the model clock, which has no seconds */
	unsigned int most;	/* files; 0: one, of the first trigger event */
};

/*
 * @which: 0 --trigger, 1 --before, 2 --after, 3 --fragments, 4 --on-crash.
 * Return: 0, or EXIT_USAGE
 */
int record_trigger_option(const struct command *cmd, struct record_trigger *t, int which,
			  const char *text);
/* After the last option: the size of the ring. Return: 0, or EXIT_USAGE after a message */
int record_trigger_done(const struct command *cmd, struct record_trigger *t,
			struct softpt_config *cfg);
/* Return: 0, or EXIT_REFUSED after a message */
int record_trigger_set(struct record_trigger *t, int dev, int session);
/* As units_drain(), of rings that are frozen or at their end, each of them once */
int record_trigger_drain(struct units *u, struct softpt_perf_writer *w, uint64_t tsc);
/* A trigger event, on stderr, and @path where there may be more */
void record_trigger_line(const struct record_trigger *t, const struct softpt_trigger_page *te,
			 unsigned int cpu, const char *path);
void record_trigger_none(const char *path);
/* Which trigger fired, when and where: a line on stderr */
void record_trigger_tell(const struct record_trigger *t, const struct units *u, const char *path);

#endif /* SOFTPT_TOOL_RECORD_TRIGGER_H */
