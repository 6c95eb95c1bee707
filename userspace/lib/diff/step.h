/* SPDX-License-Identifier: BSD-2-Clause */
/* A path as steps that two recordings can be compared by: no address of one run is in them */
#ifndef SOFTPT_DIFF_STEP_H
#define SOFTPT_DIFF_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "report/group.h"
#include "report/index.h"

/* The rows that are steps: what a walk is asked for */
#define STEP_ROWS \
	(1u << SOFTPT_FLOW_CALL | 1u << SOFTPT_FLOW_JUMP | 1u << SOFTPT_FLOW_RETURN | \
	 1u << SOFTPT_FLOW_BEGIN | 1u << SOFTPT_FLOW_ABORT)

/**
 * struct step - what a thread did next
 * @event: what it is
 * @group: the function that it leads to
 * @depth: of calls
 * @instructions: since the step before
 * @key: equal of equal steps, in any recording
 */
struct step {
	enum softpt_flow_event event;
	uint32_t group;
	unsigned int depth;
	uint64_t instructions;
	uint64_t key;
};

/**
 * struct step_thread - a thread of a walk
 * @pid: its process
 * @tid: its number
 * @comm: the name that it has at its first step
 * @steps: how many there were
 * @executed: instructions up to the last of them
 */
struct step_thread {
	uint32_t pid;
	uint32_t tid;
	char comm[16];
	uint64_t steps;
	uint64_t executed;
};

/**
 * struct stepper - a walk, row by row
 * @counts: instructions between steps are part of @key
 * @thread: in the order of their first steps, which is the same in each walk of a recording
 * @threads: how many
 * @groups: functions
 * @keys: of the functions
 * @nr_keys: how many
 * @by_thread: of threads of a walk, to @thread
 */
struct stepper {
	bool counts;
	struct step_thread *thread;
	size_t threads;
	struct report_groups groups;
	uint64_t *keys;
	uint32_t nr_keys;
	struct report_index by_thread;
};

/* Return: 0 or -ENOMEM */
int stepper_begin(struct stepper *s, bool counts);

/**
 * stepper_take() - make a step of a row
 * @s: the walk
 * @row: of STEP_ROWS
 * @step: filled in
 *
 * Return: the thread, whose @steps has this step in it; NULL without memory.
 */
struct step_thread *stepper_take(struct stepper *s, const struct softpt_flow_row *row,
				 struct step *step);
/* The thread of any row; NULL: none of its steps was taken yet */
struct step_thread *stepper_thread(struct stepper *s, const struct softpt_flow_row *row);
/* What an address of @row is, equal in any recording. Return: 0 or -ENOMEM */
int stepper_key(struct stepper *s, const struct softpt_flow_row *row, uint64_t address,
		uint64_t *key);
void stepper_free(struct stepper *s);

#endif /* SOFTPT_DIFF_STEP_H */
