/* SPDX-License-Identifier: BSD-2-Clause */
/* What softpt record was asked for, and the three ways in which it is done */
#ifndef SOFTPT_TOOL_RECORD_JOB_H
#define SOFTPT_TOOL_RECORD_JOB_H

#include <stdbool.h>

#include "freeze.h"
#include "inside/inside.h"
#include "record.h"
#include "trigger.h"

/**
 * struct record_job - what softpt record was asked for
 * @path: of the recording
 * @argv: the program; NULL: none is started
 * @cpu: the only one that it may run on, or that is recorded; -1: all
 * @level: of zstd; 0: the recording is not compressed
 * @stats: counts on stderr
 * @max_time: nanoseconds after which the recording ends; 0: it has no limit
 * @system: what the kernel does, on all CPUs
 * @kernel: beside a program in translation, what the kernel does on all CPUs
 * @alone: without threads and children
 * @cfg: of the units, judged
 * @kernel_cfg: of those of @kernel
 * @freeze: records of retired instructions; path NULL: none
 * @trigger: what the rings are written for; set.nr 0: they are written as they fill
 * @inside: functions whose calls alone are recorded; nr 0: all is
 * @attached: the process that runs; tid 0: none
 */
struct record_job {
	const char *path;
	char **argv;
	int cpu;
	int level;
	bool stats;
	uint64_t max_time;
	bool system;
	bool kernel;
	bool alone;
	struct softpt_config cfg;
	struct softpt_config kernel_cfg;
	struct freeze freeze;
	struct record_trigger trigger;
	struct inside inside;
	struct attached attached;
};

/* Return, all three: the program's exit status, or EXIT_REFUSED after a message */
int record_module(struct record_job *job);
int record_ptrace(const struct record_job *job);
int record_translate(struct record_job *job);

/* Return: NULL, or why this program can't be translated */
const char *record_translate_refusal(const struct record_job *job);

#endif /* SOFTPT_TOOL_RECORD_JOB_H */
