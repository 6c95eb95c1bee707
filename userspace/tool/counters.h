/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters on the command line: what is counted, the list of what can be, and what becomes of
 * counters while others count.
 */
#ifndef SOFTPT_TOOL_COUNTERS_H
#define SOFTPT_TOOL_COUNTERS_H

#include "softpt-counters.h"

#define COUNT_STEPS_MAX	64

/* What is done at an instant: counters are stopped, cleared, preset and started, in this order */
struct count_step {
	uint64_t at;		/* `sim`: TSC; `stat`: milliseconds */
	struct softpt_count_args args;
	uint32_t presets;	/* a bit for each counter that is preset */
	uint64_t preset[SOFTPT_COUNTERS];
};

/**
 * struct counters - the counters of one run
 * @plan: which registers count what
 * @stopped: counters that do not count from the beginning
 * @step: what becomes of them, in the order of its times
 * @nr_steps: how many
 */
struct counters {
	struct softpt_plan plan;
	uint32_t stopped;
	struct count_step step[COUNT_STEPS_MAX];
	unsigned int nr_steps;
};

#define COUNT_ARG	"TIME:stop=K+K:clear=K+K:preset=K=N:start=K+K"

/* The classes of events with their counters and subclasses. Return: exit status */
int list_events(void);

/**
 * counter_add() - take [K=]CLASS[/SUBMASK][:QUAL...][:preset=N][:stop]
 * @c: one counter more; without K any that fits
 * @text: as above
 * @spec: what it counts, where that is given by itself; NULL: as in @text
 * @why: one line that says what is wrong
 * @len: bytes at @why
 *
 * Return: its number, or -errno.
 */
int counter_add(struct counters *c, const char *text, const struct softpt_spec *spec, char *why,
		size_t len);

/**
 * counter_spec() - what of such a text is counted
 *
 * Return: 0, or -EINVAL with @why set to one line.
 */
int counter_spec(const char *text, struct softpt_spec *spec, char *why, size_t len);

/* counter_add() of an option. Return: 0, or EXIT_USAGE after a message */
int counter_option(struct counters *c, const char *text);

/* Take COUNT_ARG. Return: 0, or EXIT_USAGE after a message */
int count_option(struct counters *c, const char *text);

/* After the last option: whether all that is done is done to counters that there are */
int counters_done(const struct counters *c);

#endif /* SOFTPT_TOOL_COUNTERS_H */
