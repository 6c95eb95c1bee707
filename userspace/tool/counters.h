/* SPDX-License-Identifier: BSD-2-Clause */
/* Event counters on the command line: what is counted, and the list of what can be. */
#ifndef SOFTPT_TOOL_COUNTERS_H
#define SOFTPT_TOOL_COUNTERS_H

#include "../lib/softpt-counters.h"
#include "truth.h"

/* The classes of events with their counters and subclasses. Return: exit status */
int list_events(void);

/**
 * counter_option() - take [K=]CLASS[/SUBMASK][:QUAL...], without K any counter that fits
 *
 * Return: 0, or EXIT_USAGE after a message
 */
int counter_option(struct softpt_plan *plan, const char *text);

/* Set what is planned, and let it count from here on */
void counters_start(struct sim *s, const struct softpt_plan *plan);

/* counter,class,submask,quals,value,overflows of each that is planned */
void counters_write(FILE *to, const struct sim *s, const struct softpt_plan *plan);

#endif /* SOFTPT_TOOL_COUNTERS_H */
