/* SPDX-License-Identifier: BSD-2-Clause */
/* Event counters on the command line */
#ifndef SOFTPT_TOOL_CLI_COUNTERS_H
#define SOFTPT_TOOL_CLI_COUNTERS_H

#include "counters/run.h"

/* The classes of events with their counters and subclasses. Return: exit status */
int list_events(void);

/* counter_add() of an option. Return: 0, or EXIT_USAGE after a message */
int counter_option(struct counters *c, const char *text);

/* Take COUNT_ARG. Return: 0, or EXIT_USAGE after a message */
int count_option(struct counters *c, const char *text);

/* After the last option: whether all that is done is done to counters that there are */
int counters_done(const struct counters *c);

#endif /* SOFTPT_TOOL_CLI_COUNTERS_H */
