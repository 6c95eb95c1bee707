/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt stat: a program's events, counted */
#ifndef SOFTPT_TOOL_STAT_PRINT_H
#define SOFTPT_TOOL_STAT_PRINT_H

#include <sys/resource.h>
#include <sys/types.h>

#include <softpt/spec.h>
#include "cli/tool.h"

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
 * @out: where to
 */
struct stat {
	char **argv;
	pid_t pid;
	struct stat_event event[SOFTPT_COUNTERS];
	unsigned int nr;
	unsigned int interval_ms;
	bool per_thread;
	bool json;
	FILE *out;
};

/* When and whose; @seconds below 0, @thread NULL: that is not told */
struct stat_place {
	double seconds;
	const char *thread;
};

void stat_print_begin(const struct stat *s);
/* A row for each event; @values: in their order */
void stat_print(const struct stat *s, const struct stat_place *at, const uint64_t *values);
/* ---- without the module (stat-translate.c) ---- */

/* Return: NULL, or why these events of a command can't be counted in translation */
const char *stat_translate_refusal(const struct stat *s);
/* @cpu: the only one that it may run on, or -1. Return: the exit status */
int stat_translate(const struct stat *s, int cpu);

/* @usage: of the program; NULL: not known */
void stat_print_end(const struct stat *s, double elapsed, const struct rusage *usage);

#endif /* SOFTPT_TOOL_STAT_PRINT_H */
