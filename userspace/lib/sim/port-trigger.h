/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace port's trigger unit: what makes a TE. Addresses are compared with what executes, in
 * the clock in which it does; what else a trigger waits for is counted by an engine that sees
 * the same events, and whose packets nobody reads. (Documentation/reference/port.rst)
 */
#ifndef SOFTPT_SIM_PORT_TRIGGER_H
#define SOFTPT_SIM_PORT_TRIGGER_H

#include <softpt/spec.h>
#include "trigger/text.h"
#include "sim/sim.h"

/**
 * struct port_triggers - the triggers of a port
 * @set: as given
 * @hits: how often each occurred
 * @left: occurrences until it fires; 0: it has
 * @seen: of @unit's, that were looked at
 * @unit: counts what is no address; NULL: nothing is
 * @runs: what executes next follows on @last
 * @last: the instruction that executed last
 * @fired: which fired last
 * @psb: it wants an SE, too
 */
struct port_triggers {
	const struct triggers *set;
	uint64_t hits[SOFTPT_TRIGGERS];
	uint64_t left[SOFTPT_TRIGGERS];
	uint64_t seen[SOFTPT_TRIGGERS];
	struct sim *unit;
	bool runs;
	uint32_t last;
	unsigned int fired;
	bool psb;
};

/* @plan: counters that a trigger may be of. Return: 0, or -ENOMEM */
int port_triggers_init(struct port_triggers *t, const struct triggers *set,
		       const struct softpt_plan *plan);
void port_triggers_free(struct port_triggers *t);

/**
 * port_triggers_execute() - an instruction executes
 * @t: the triggers
 * @known: whether @addr is
 * @addr: the instruction
 * @taken: it is a taken branch
 *
 * Return: whether that is a TE.
 */
bool port_triggers_execute(struct port_triggers *t, bool known, uint32_t addr, bool taken);

/* Execution goes elsewhere, and nothing has executed. */
static inline void port_triggers_split(struct port_triggers *t)
{
	t->runs = false;
}

/**
 * port_triggers_event() - all of an event has happened
 * @t: the triggers
 * @ev: the event
 * @te: set if that is a TE
 * @why: with -EINVAL: what is wrong
 *
 * Return: 0, or what sim_event() returned.
 */
int port_triggers_event(struct port_triggers *t, const struct softpt_event *ev, bool *te,
			const char **why);

#endif /* SOFTPT_SIM_PORT_TRIGGER_H */
