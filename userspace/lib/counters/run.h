/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of one run: what is counted, and what becomes of counters while others count */
#ifndef SOFTPT_COUNTERS_RUN_H
#define SOFTPT_COUNTERS_RUN_H

#include <stdbool.h>

#include <softpt/spec.h>

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
 * @text: as for counter_add()
 * @spec: filled in
 * @why: one line that says what is wrong
 * @len: bytes at @why
 *
 * Return: 0, or -EINVAL with @why set to one line.
 */
int counter_spec(const char *text, struct softpt_spec *spec, char *why, size_t len);

/**
 * count_add() - one instant more at which something becomes of counters
 * @c: the counters
 * @text: COUNT_ARG
 * @why: one line that says what is wrong
 * @len: bytes at @why
 *
 * Return: 0, or -EINVAL.
 */
int count_add(struct counters *c, const char *text, char *why, size_t len);

/* Whether all that is done is done to counters that count */
bool counters_whole(const struct counters *c);

#endif /* SOFTPT_COUNTERS_RUN_H */
