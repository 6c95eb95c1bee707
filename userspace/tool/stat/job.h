/* SPDX-License-Identifier: BSD-2-Clause */
/* What softpt stat was asked for, and the two ways in which it is done */
#ifndef SOFTPT_TOOL_STAT_JOB_H
#define SOFTPT_TOOL_STAT_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <softpt/spec.h>

#include "../cli/counters.h"
#include "../record/record.h"

#define STAT_ALL	0xffff	/* all subclasses */

/**
 * struct stat_event - what is asked for
 * @name: as the user has it
 * @spec: what that is
 * @counter: who counts it
 */
struct stat_event {
	const char *name;
	struct softpt_spec spec;
	unsigned int counter;
};

/**
 * struct stat - what is counted, and where it is told
 * @argv: the program, or NULL
 * @pid: the process that ran already, or 0
 * @event: in the order in which they were asked for
 * @nr: how many
 * @interval_ms: tell each so many milliseconds; 0: at the end
 * @per_thread: each thread's own counts
 * @json: an object a line
 * @path: where to; NULL: standard error
 * @out: the same, open
 */
struct stat {
	char **argv;
	pid_t pid;
	struct stat_event event[SOFTPT_COUNTERS];
	unsigned int nr;
	unsigned int interval_ms;
	bool per_thread;
	bool json;
	const char *path;
	FILE *out;
};

/**
 * struct stat_job - what softpt stat was asked for
 * @stat: what is counted, and where it is told
 * @set: the counters that count it, and when what is done to them
 * @preset: of each counter, until it is cleared
 * @cpu: the only one that the program may run on, or that is counted; -1: all
 * @system: what the kernel does, on all CPUs
 * @alone: without threads and children
 * @how: the way; NULL: the first that can
 * @attached: the process that runs; tid 0: none
 */
struct stat_job {
	struct stat stat;
	struct counters set;
	uint64_t preset[SOFTPT_COUNTERS];
	int cpu;
	bool system;
	bool alone;
	const char *how;
	struct attached attached;
};

/* Return, both: the program's exit status, or EXIT_REFUSED after a message */
int stat_module(struct stat_job *job);
int stat_translate(struct stat_job *job);

/* Return: NULL, or what translation can't do of what is asked for */
const char *stat_translate_refusal(const struct stat_job *job);

#endif /* SOFTPT_TOOL_STAT_JOB_H */
