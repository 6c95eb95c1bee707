/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt sim -c format=port */
#ifndef SOFTPT_TOOL_SIM_PORT_H
#define SOFTPT_TOOL_SIM_PORT_H

#include <stdbool.h>

#include <linux/softpt.h>

#include <softpt/spec.h>
#include <softpt/port.h>
#include "../cli/tool.h"
#include "../cli/trigger.h"

/*
 * @plan: counters that a trigger is of
 * @te: freeze at the TE of this number
 */
struct sim_port {
	bool chosen;
	struct softpt_port_config cfg;
	const struct triggers *set;
	const struct softpt_plan *plan;
	uint64_t te;
};

/* -c TEXT: the port's keys, and the unit's. Return: 0, or EXIT_USAGE after a message */
int sim_port_config(struct sim_port *p, struct softpt_config *cfg, const char *text);

/* After the last option. Return: 0, or EXIT_USAGE after a message */
int sim_port_done(const struct command *cmd, const struct sim_port *p, const char *output);

/* Return: exit status */
int sim_port(const struct sim_port *p, const char *events, const char *output, bool stats);

#endif /* SOFTPT_TOOL_SIM_PORT_H */
