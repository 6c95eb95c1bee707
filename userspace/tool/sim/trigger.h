/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt sim --trigger: triggers of the engine in this process, and what they freeze */
#ifndef SOFTPT_TOOL_SIM_TRIGGER_H
#define SOFTPT_TOOL_SIM_TRIGGER_H

#include <stdio.h>

#include "sim/ring.h"
#include "../cli/trigger.h"
#include "sim/sim.h"

/* @set as given, all else zero */
struct sim_trigger {
	struct triggers set;
	const char *input;	/* a name that no fragment may have */
	uint64_t size;		/* of the ring */
	struct sim_ring ring;
	struct sim *sim;
	unsigned int fragments;	/* frozen so far */
};

/* After the last option. Return: 0, or EXIT_USAGE after a message */
int sim_trigger_done(const struct command *cmd, struct sim_trigger *t,
		     const struct softpt_config *cfg, const char *packets, const char *truth);
static inline bool sim_trigger_freezes(const struct sim_trigger *t)
{
	return triggers_freeze(&t->set);
}

/* Whether it goes on when it has frozen: what freezes next is FILE.1 and so on */
bool sim_trigger_goes_on(const struct sim_trigger *t);
void sim_trigger_start(struct sim_trigger *t, struct sim *sim);
/* Before any file is opened: the ring. Return: 0 or -ENOMEM */
int sim_trigger_alloc(struct sim_trigger *t);
void sim_trigger_bytes(struct sim_trigger *t, const void *buf, size_t len);
/* Each of these returns 0, SIM_FROZEN, SIM_REFUSED, or -errno of the first file. */
int sim_trigger_fragment(struct sim_trigger *t, const char *path, FILE *first);
/* The trace is over: what a trigger event still waits for, or all if there was none */
int sim_trigger_end(struct sim_trigger *t, const char *path, FILE *first);
/* How often each was hit, on stderr */
void sim_trigger_print(const struct sim_trigger *t);
void sim_trigger_free(struct sim_trigger *t);

#endif /* SOFTPT_TOOL_SIM_TRIGGER_H */
